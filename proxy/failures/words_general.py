"""Words of failures in general: states, permissions, transport, things not found, arguments. They come after
machine codes.

Format: see vocabulary.py. Order matters: the first rule that fits decides.
"""

TABLE = r"""
LOCKED
    already (running|in progress|active|open(ed)?|being|scheduled|queued)
    (is|are|being) (currently )?(being )?(edited|modified|used|processed|held|checked out) by|in progress
    in use by
INVALID_ENUM_VALUE
    (unknown|invalid|unsupported|unrecognized|not (a )?(valid|known|supported|recognized)).{0,100}\b(valid
        |allowed|permitted|supported|accepted|possible) (\w+ ){0,3}(are|is|include|values?|options?|names?
        |choices|types?)\b
CONFLICT
    (bucket|container|collection|queue|group|project|namespace|repository|registry|stack)\b.{0,40}not empty|not ?empty
    eresolve|dependency (tree|conflict)|conflicting (dependenc|peer|version|requirement)
    incompatible version|version solving failed
WRONG_TYPE
    cannot (iterate over|index)[ ]
    (cannot|can't) be (added|subtracted|multiplied|divided|matched|sliced|compared)|wrong ?(type|kind)
    wrongtype|(wrong|incorrect) kind of
NOT_IMPLEMENTED
    not (yet )?(been )?implemented|unimplemented|notimplemented|未实现|abstract method
INVALID_QUERY
    group by clause|aggregate function|window function|set-returning|subquery (must|has|returns)
    must appear in|unknown top level operator
    (unknown|unrecognized|invalid) (\w+ ){0,3}(operator|pipeline stage|stage name|modifier|aggregation
        |clause|expression)
UNKNOWN_COMMAND
    missing script
    \b(script|target|recipe|goal|lifecycle phase)\b.{0,60}(not found|unknown|missing|does not exist)
    no rule to make target|unknown (target|task|goal|lifecycle)
CONFIGURATION_ERROR
    (unsupported|unknown|no suitable|missing|no) (\w+ )?(database )?driver
    driver.{0,40}(not found|not available|could not be (found|loaded))|data source name
IDEMPOTENCY_CONFLICT
    idempoten(t|cy).{0,80}(key|request|token|conflict|reuse|different|same)|幂等
VERSION_CONFLICT
    (version|etag|revision|stale|resource version).{0,60}(conflict|mismatch|does not match|changed|outdated)
    (was|has been|been) (modified|changed|updated) (by|since|in)|conflicting (update|version)
    stale (object|data|element)|已被(他人|其他).{0,6}修改|版本(冲突|不一致)|version conflict
PRECONDITION_FAILED
    (precondition|conditional (request|check)|condition).{0,30}(fail|not met|not hold|unmet)|if-match
    failed precondition
MERGE_CONFLICT
    merge conflict|conflict \(|fix conflicts|unmerged (files|paths)|non.?fast.?forward|fetch first
    cannot be automatically merged|could not apply|合并冲突
UNCOMMITTED_CHANGES
    local changes.{0,60}(overwritten|would be)|uncommitted changes|untracked working tree files
    unstaged changes|working (tree|directory) (is )?(dirty|not clean)
PATCH_FAILED
    no valid patches
    patch (failed|does not apply|apply|rejected)|corrupt patch|hunk.{0,20}(failed|rejected)
NOT_A_GIT_REPOSITORY
    not (a|in a) (git|hg|svn) (repository|repo|working)|not a repository
MISSING_IDENTITY
    (author|committer) identity|empty ident name|please tell me who you are
REF_NOT_FOUND
    (unknown|bad|invalid|ambiguous) (revision|ref|commit|object|argument '.{0,60} unknown revision)|pathspec
    couldn't find remote ref|not a valid (object|ref)
    (branch|tag|revision|commit|ref).{0,50}(not found|does not exist|unknown)|refspec
TESTS_FAILED
    \b\d+ (tests?|specs?|examples?|suites?) (failed|failing)|\d+ failed, \d+ passed
    \btests? fail(ed|ing|ure)|failures: [1-9]|assertion ?error \[|there were failing tests
MISSING_DEPENDENCY
    (no module named|cannot find (module|package)|module ?not ?found|could not (resolve|find) (module
        |package|gem|dependency)|can't locate .{1,80} in @inc|cannot load such file
        |package .{1,60} (is )?not (installed|found)|no package called)
    (missing|unmet|required) (optional )?(dependenc(y|ies)|package|module|library)|not installed
    install (it|the|this) .{0,30}(package|module|library)|(cannot|could not) import|import ?error
    缺少(依赖|模块)|shared (object|librar)|failed to (load|import) (module|library|plugin|driver)
    could not find a version that satisfies|no matching distribution|unresolved import|modulenotfound
    no rust crate|could not compile.{0,40}dependenc
COMMAND_NOT_FOUND
    command not found|not recognized as (an internal|the name)
    (executable|binary|program|interpreter)( file)? (not found|was not found|doesn't exist)
    \b(ba|z|da|k|fi)?sh: .{0,80}not found|executable file not found|command.{0,30}not (found|installed)
    未找到命令|no such (command|executable)
NO_INPUT
    eof when reading|end of file when reading|stdin is not a (tty|terminal)|not a tty|inappropriate ioctl
    requires? (a )?(tty|interactive|terminal)|no tty present|interactive (mode|input|login)
TOKEN_EXPIRED
    (token|session|credential|signature|jwt|access key|登录|令牌|会话).{0,30}(has |is |have )?(expired|过期
        |失效)
    expired (token|session|signature|credential)|(登录|令牌|会话)(已|状态)?(过期|失效)
MISSING_CREDENTIALS
    (no|missing|unable to locate|could not find|not find|cannot find|without|empty|provide|supply|specify
        |requires?|set) (\w+ ){0,3}(credentials?|api.?key|access.?key|password|auth(entication)? (token
        |header)|authorization header|access token)
    (credentials?|api.?key|password|authorization header) (is |was |are |were )?(not (found|set|configured
        |provided|supplied|present)|missing|required|must be (set|provided))
    no password supplied|default credentials|缺少(凭证|密钥|令牌|token)
INVALID_TOKEN
    (invalid|bad|malformed|wrong|incorrect|not valid) (jwt|(access|auth\w*|api|bearer|csrf|refresh|id
        |session|security|personal) ?tokens?|signature|csrf)
    (^|[^a-z] )invalid token\b
    (jwt|signature|\b(access|auth\w*|api|bearer|csrf|refresh|session) token).{0,30}(verification|invalid
        |malformed|mismatch|not (match|valid))
    not enough segments|unauthorized client|invalid grant
AUTHENTICATION_FAILED
    (authentication|auth|login|logon|sign.?in|credentials?|password|密码|认证|登录|身份验证|鉴权).{0,60}
        (fail|error|invalid|incorrect|wrong|denied|required|unsuccessful|错误|失败|不正确|未通过)
    (invalid|wrong|incorrect|bad|failed).{0,20}(credentials?|passwords?|username|login|api.?keys?
        |access.?key|authentication|auth|client secret|client)\b
    invalid (client|grant)\b|(not|n't|unable to|failed to) authenticat
    (username|password|credentials?|login)\b.{0,40}(not accepted|rejected|mismatch)|not authed|token revoked
    missing scope|invalid auth|access denied for user|noauth|wrongpass|not authenticated
    permission denied \(publickey|(already|must be|not|must) authenticat|unauthenticated|publickey
UNAUTHORIZED
    active account|auth login|\blog in (again|first|to)|unauthori[sz]ed|not authori[sz]ed|no auth|未授权
    未登录|请先登录|not logged in|login required|must (be logged|log|sign) in
UNKNOWN_HOST_KEY
    host key|known hosts|remote host identification has changed
PERMISSION_DENIED
    permission (denied|error)|permissions? denied|access (is |was )?denied|eacces|eperm
    operation not permitted|insufficient (privilege|permission|scope|access|right|role|authentication scope)
    \b(no|not have|lacks?|lacking|missing|without|requires?|required|needs?)\b.{0,30}\b(permissions?
        |privileges?|access|rights|grant)\b
    (missing|required|insufficient) scope|must be (owner|superuser)
    not have (sufficient|the required|enough) (permission|privilege|access|right|role)|accessdenied
    not permitted to|privilege|权限|无权|没有权限|noperm|command denied|is not allowed to
FORBIDDEN
    forbidden|禁止(访问|操作)|not allowed to (access|perform|use|call)|unauthori[sz]ed operation
GATEWAY_TIMEOUT
    gateway time.?out
COMMAND_TIMEOUT
    \b(command|process|execution|script|job|program|cell|run|task|build|kernel)\b.{0,60}(timed? ?out|timeout
        |time limit|too long)
    killed after|exit code 124|time limit exceeded|执行超时|运行超时
DEADLINE_EXCEEDED
    deadline.?exceeded|deadline (has )?(passed|elapsed|expired)|context deadline
TIMEOUT
    (无|未|没有|未能)(有)?(响应|应答|回应)
    exit\) time out
    too slow
    (gave|giving) up waiting|waited (too long|for .{1,30} without)|timed?.?out\b|timeouts?\b
    timeout ?(error|exception|expired)|time.?out (error|exceeded|expired|waiting|while|after|reading)
    (did not|didn't|no) (answer|respond|response|reply)\w* (received )?(within|in|after|for|from)|etimedout
    esockettimedout|超时|no response (from|within)|took too long|time limit
CANCELLED
    cancell?ed error
    (operation|request|task|job|call|future|execution|run|context|query|stream) (was |has been |got |is )?
        (cancell?ed|canceled|aborted|interrupted|stopped)
    \bcancelled(error)?\b|abort ?error|keyboard interrupt|user aborted|操作(已)?(取消|中断)|任务已取消
SERVICE_OVERLOADED
    overloaded|over capacity|at capacity|server (is )?(too )?busy|too busy|system busy
    (系统|服务器?|服务|网络)(繁忙|过载)|no capacity|insufficient capacity|high (demand|load)
    backend (fetch )?failed|no healthy upstream|排队
SERVICE_UNAVAILABLE
    no (replica set |cluster |healthy |alive |live |running |active )?(members?|primary|master|brokers?
        |nodes?|hosts?|servers?|workers?|backends?|upstreams?|leader|quorum) (match|available|found
        |reachable|online|alive|elected|responded|could be|to)
    (servers?|services?|nodes?|brokers?|backends?) (seem|appear)s? to be (down|unavailable|offline)
    (service|server|system|host|backend|endpoint|api|resource|broker|site|node|instance|cluster|engine
        |replica|shard|provider|gateway|upstream|platform
        |feature)s? (is |are |was |currently |temporarily |be )*(un|not )available
    technical (difficulties|problems|issues)|temporarily (un|not )available|service.?unavailable
    under maintenance|maintenance|(is |are |currently |temporarily )(down|offline)\b|try again later
    (服务|系统|接口).{0,6}(不可用|维护|异常|中断|停机)|暂不可用|暂时不可用
    no (servers?|brokers?|nodes?|hosts?|workers?|replicas?) (are |is )?available|brokers? (are|is) down
    all (brokers|hosts|nodes|replicas|servers) (are |were )?(down|un|failed)|no living connections
    cluster ?down|loading the dataset|not (yet )?ready|稍后(再|重)试
BAD_GATEWAY
    bad.?gateway|invalid response from (the )?upstream
    upstream (connect|prematurely|server|request|service).{0,30}(error|fail|closed|reset)?
CONNECTION_FAILED
    appears to be offline|no internet|internet connection|offline mode
    (could not|couldn't|can't|cannot|unable to|failed to|failure to|error|problem|not|not able to
        |impossible to|trouble) (to )?(connect|connecting|establish|reach|open a connection|communicat\w+
        |contact|access the server)
    connection (error|failed|failure|attempt|problem|issue|could not|exception|not established
        |to .{1,80} failed)
    connect(ion)? ?(error|failed|failure)|(网络|连接|通信|通讯).{0,6}(失败|异常|错误|中断|故障|不通)
    无法(连接|访问|联系)|network ?(error|failure|problem|issue|is down)|not (currently |yet )?connected
    no connection (to|available|could)|fetch failed|transport ?error
    communication (error|failure|link|problem)|communicating with|unable to access|server selection
    request (failed|error) to reach|api ?connection ?error|连接(数据库|服务器)?失败|disconnected
RETRIES_EXHAUSTED
    (max\w*|all|exceeded|too many|reached).{0,40}(retries|retry|attempts)|retry (error|limit|exhausted)
    retries (exceeded|exhausted)|attempts? (failed|exhausted|exceeded)|gave up after|giving up
IS_A_DIRECTORY
    is a directory|eisdir|(是|为)(一个)?目录
NOT_A_DIRECTORY
    not a directory|enotdir|不是目录
DIRECTORY_NOT_EMPTY
    directory not empty|enotempty|目录非空
ALREADY_EXISTS
    already (owned|taken|claimed|registered)
    (member|user|record|item|object|entity|email|name|key) exists\b|already a \w+ (member|user)
    already exists?|eexist|file exists|exists already|already (present|defined|registered|in use|existing)
    already have|(已|已经)存在|name.{0,40}(taken|in use)|(name|id).{0,40}(already|still) in use
    duplicate name|already a (member|file)|conflict: .{0,40}exist|duplicate\w*
UNKNOWN_RECIPIENT
    (recipient|mailbox|user|address|chat|channel|invitee).{0,60}(rejected|unknown|not found|does not exist
        |unavailable|not exist|invalid chat)
    user unknown|no such (user|mailbox|channel)|unknown (user|recipient|mailbox|chat)|channel not found
    chat not found|invalid recipient|收件人.{0,10}(不存在|无效)
SHEET_NOT_FOUND
    (work)?sheet.{0,60}(not found|does not exist|not exist)|no sheet named|工作表.{0,20}(不存在|未找到)
UNKNOWN_TIMEZONE
    (time ?zone|tz|zone ?info).{0,60}(not found|unknown|invalid|unrecognized|no time zone|does not exist)
    (no|unknown|invalid) time ?zone|can not find timezone|时区.{0,15}(无效|不存在|错误)
DIRECTORY_NOT_FOUND
    (directory|folder).{0,80}(not found|does not exist|not exist|no such)
    (can't cd to|cannot access directory|no such folder)|目录.{0,30}(不存在|未找到)
CONFIGURATION_ERROR
    (profile|config\w*|credentials? file)\b.{0,40}(not be found|not found|does not exist)
FILE_NOT_FOUND
    no such file|file.?not.?found|enoent
    \bfile\b.{0,110}(not found|does not exist|doesn't exist|missing|not exist|cannot be found)
    (cannot|could not|can't|unable to|failed to) (find|open|locate|access|stat) .{0,30}\bfile
    (path|input).{0,80}(not found|does not exist|not exist)|cannot find (the )?(path|file)
    文件.{0,30}(不存在|未找到|找不到)|找不到文件|路径.{0,30}(不存在)|nosuchfile
CLASS_NOT_FOUND
    class.{0,60}not found|classnotfound|noclassdef|could not find or load main class|unknown class
INVALID_ENCODING
    unknown encoding
NO_ROUTE
    no (path|route|connection|flights?|way|itinerary) (between|from|to|found)|unreachable from
    没有(可用)?(路线|路径|航线)
GONE
    \bgone\b|permanently (deleted|removed)|no longer (exists|available)|has been (deleted|removed)
    已(被)?删除
MISSING_ARGUMENT
    missing \d+ required|missing (a )?(required|mandatory|positional)
    (required|mandatory) .{0,30}(argument|parameter|param|property|field|option|key|input|value)s?.{0,50}
        (missing|not (provided|supplied|present|given|set|specified|found)|absent)?
    (argument|parameter|param|property|field|option|key|input|value|column)s? .{0,60}(is |are |was |were )?
        (required|missing|mandatory)
    field required
    (must|should|have to) (be )?(provide|supplied|specif|set|given|present|pass|have required|contain)
    is a required|missing required|is required|(必填|必须|必要)(的)?(参数|字段|项|提供|填写|传)
    缺少.{0,12}(参数|字段|必填)|不能为空|未(提供|填写|指定|传)|received (undefined|null|none|nothing)
    please (provide|specify|enter|supply|include|select|give|choose)|请(提供|填写|输入|指定|选择)
    requires? (at least )?(one|an?|the|\d+|exactly|either).{0,20}(argument|parameter|value|option|field
        |input|operand)
    missing (argument|parameter|param|operand|field|value|key|property|data)|missing '.{1,40}'
    no value (given|provided|specified) for|expected .{0,20}arguments?,? (but )?(got|received|found)
    takes? .{0,30}arguments? but|not enough arguments
UNKNOWN_ARGUMENT
    unexpected (keyword )?(argument|parameter|field|property|key|input|named)
    (unknown|unrecognized|unsupported|extra|additional|unexpected|undefined) (keyword )?(argument|parameter
        |param|propert(y|ies)|key|keyword|attribute)s?\b
    extra (inputs?|fields?|keys?)[ ]|additional properties|not permitted$
    (not|never) (allowed|permitted|expected) .{0,20}(propert|field|key|argument|parameter)|was unexpected
    (未知|多余|不支持)的?(参数)|unevaluated properties|unknown keys
UNKNOWN_OPTION
    (no such|unknown|unrecognized|illegal|unexpected|ambiguous) (option|flag|switch|argument)
    (option|flag|switch).{0,40}(not (recognized|defined|found)|unknown|unrecognized)|unrecognized arguments
    flag provided but not defined|invalid option --|wasn't expected|未知选项|无法识别的选项
UNKNOWN_COMMAND
    (unknown|unrecognized|invalid|undefined|no such|not a valid|unsupported) (\w+ )?(command|subcommand
        |operation|action|method|verb|api|endpoint|procedure|event|query type|mutation|rpc|magic)\b
    (command|method|subcommand|magic|procedure)\b[^:;,.]{0,40}(not (found|supported|recognized)
        |does not exist|unknown)
    is not a git command|未知(的)?(命令|操作|方法|接口)|cannot query field
UNKNOWN_UNIT
    \bcurrency\b.{0,40}(does not exist|not found|not supported|not available)
    \b(unit|currency|measure)\b.{0,40}(not defined|unknown|not (recognized|supported)|undefined|invalid)
    (unknown|undefined|invalid|unsupported) (\w+ )?(unit|currency)\b|(单位|币种).{0,10}(不支持|无效|未知)
    unit registry
INVALID_UNITS
    cannot convert from|dimensionality|incompatible units|unit.{0,20}mismatch
UNKNOWN_FIELD
    (find|no|not have) (a |an |the |any )?(\w+ )?(property|field|attribute|member|variable|dimension
        |coordinate|parameter) (named|called|with (the )?name|')
    none of .{0,80} (have|has|contain|match)\b|(have|has) no (property|attribute|field|key|member)
    (not|cannot) resolve (keyword|attribute|property|name|symbol)
    (no such|unknown|unrecognized|invalid|undefined|nonexistent|not a) (field|attribute|property|member
        |element|column|metric|dimension|label|tag)\b
    (field|attribute|property|metric|dimension|label)\b.{0,60}(does not exist|not found|unknown|not exist
        |not (defined|recognized|a (valid|known))|doesn't exist)
    unknown field|is not a (property|field) (that|of)|no mapping found|no field
    (字段|属性|指标).{0,20}(不存在|未知|无效)
"""
