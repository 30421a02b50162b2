"""Words of failures that say precisely what is wrong, whatever else stands beside them: tools, columns, locks,
connections, certificates, limits. They outrank machine codes and statuses.

Format: see vocabulary.py. Order matters: the first rule that fits decides.
"""

TABLE = r"""
OUTPUT_TOO_LARGE
    (result|output|response|content|file content)\b.{0,60}(exceeds?|too (large|long|big)).{0,40}(maximum
        |tokens|limit|characters|bytes|context)
UNKNOWN_ARGUMENT
    extra forbidden
UNAUTHORIZED
    refused.{0,10}not authori[sz]ed
FORBIDDEN
    (denied|rejected|declined|refused|not approved|cancell?ed|blocked|aborted) by (the )?(user|human
        |operator)
    user (has )?(denied|rejected|declined|refused|does(n't| not) want)|用户(已)?(拒绝|取消)
QUERY_TIMEOUT
    exceeded (the )?(\w+ )?(resource|cpu|compute|execution time) (limits?|quota|seconds)
    (query|statement) exceeded
WRONG_PARAMETER_COUNT
    \b\d+ columns? but \d+ values?|\b\d+ values? for \d+ (columns?|placeholders?|parameters?)
TOOL_BUG
    no (function|case|try|with|cond) clause (matching|evaluated)
    no match of right hand side|bad ?arg(ument)? in (call|arithmetic)
    (created|used|accessed|called) (in|from) (a|that|the|another|a different)( same| different
        | other)? thread
    thread.?safe|not the main thread|closed (database|file|pool|session)\b
BAD_GATEWAY
    (invalid|bad) response (was )?(received )?from (an |the )?upstream|bad gateway
INVALID_RESPONSE
    received response with
    (invalid|malformed|bad|unreadable|unparse?able) (server |http |api |upstream )?response
    unexpected mimetype|attempt to decode json
VERSION_CONFLICT
    (document|update|version|edit|write|revision|object) (update )?conflict\b
    (object|row|record|document|entity|resource|file|page|variable) (has been|was) (updated|modified|changed
        |deleted|edited) (by|since|in)
    object has been modified|may have been (modified|deleted|changed)|latest version and try again
    watched variable|(is|are) (out of date|outdated|stale)|已被其他.{0,6}(修改|更新)
MULTIPLE_RESULTS
    multiple (rows|results|records|objects|matches|values|documents|entries) (were |was |are )?(found
        |returned|match)
    more than one (\w+ )?(row|result|record|object|match|value)|returned more than one
    exactly one (row|result|record) (was )?(expected|required)|multiple\w* results found
UPSTREAM_ERROR
    exception (calling|in) (the )?application|exception (was )?thrown by handler
    unhandled exception in (the )?(server|handler|service)|exception iterating
MISSING_CREDENTIALS
    could not read (username|password)|terminal is required to read the password|a password is required
TOOL_BUG
    object (is not|of type .{1,60} is not) (subscriptable|callable|iterable|json serializable|an iterator
        |awaitable|reversible)
    is not json serializable|does not support item (assignment|deletion)|has no len\(\)
    arg is an empty sequence|pop from (an )?empty|popitem\(\)
    argument must be (a string|an? \w+)( or a? ?(real number|number|\w+))?, not|sequence item \d+: expected
    can only concatenate|doesn't define _|dictionary update sequence|release unlocked|arg 2 must be
    cannot be interpreted as an|no running event loop|object is not an?[ ]|iterable argument is empty
    truth value of|referenced before assignment|not associated with a value|unhashable type
    (not enough|too many) values to unpack|cannot unpack non-iterable
    (list|tuple|string|slice|byte) indices must be|event loop (is closed|is already running)
    running event loop|never awaited|offset-naive and offset-aware|changed size during iteration
    mutated during iteration|generator (already executing|raised stopiteration)|can't locate object method
    call to undefined|call to a member function|bad operand type|can't pickle|cannot pickle
    can't set attribute|property .{1,60} has no setter|object has no attribute|has no attribute
    object does not support|must be real number, not|exceptions must derive
    not (yet )?(been )?(fitted|initiali[sz]ed|trained|bootstrapped)\b
    working outside of (application|request) context|apps aren't loaded|no current event loop
    maximum update depth|is not a constructor|is not a function\b|before initialization
CONNECTION_FAILED
    (网络|通信|通讯).{0,6}(失败|异常|错误|中断|故障|不通)
SERVICE_UNAVAILABLE
    (服务|系统|接口|网关|平台|功能)[^，。,；]{0,8}(不可用|维护|停机|下线)
SERVICE_OVERLOADED
    (服务|系统|服务器|网络)[^，。,；]{0,4}(繁忙|过载)$
    (服务|系统|服务器)[^，。,；]{0,4}(繁忙|过载)[，,]?请?稍[后候][^：:]{0,8}$
RATE_LIMITED
    (接口|调用|api|请求|访问).{0,8}(超过|超出|达到).{0,6}(限额|上限|次数|配额|限制|频率)
TOKEN_EXPIRED
    (登录|会话|令牌|token|凭证|session|身份|授权).{0,6}(过期|失效|超时)
INVALID_TOKEN
    签名.{0,6}(失败|错误|无效|不匹配|不正确)|(令牌|token).{0,6}(无效|错误)
INVALID_VALUE
    duplicate (entries|labels|axis|columns?|indices|keys in)|contains duplicate
INVALID_FILE
    zip ?file directory|not a zip ?file
    (could not|unable to|failed to|cannot|can't|error) (read|load|parse|decode|reading|loading
        |parsing) .{0,40}(certificate|private key|key file|image|archive|workbook|document|header|pem)
    not in \w+ format
    (marker|signature|magic( bytes| number)?|header|footer|trailer|central directory) (was )?not found
    not found in footer|bof record|has not been decrypted|is (encrypted|password.protected)
    (mac|checksum|integrity|hash|digest|crc|padding) (check|verification|validation|value)? ?(failed
        |mismatch|does not match|is incorrect)
    (bad|wrong|incorrect|invalid) (checksum|crc|padding|magic)|incorrect padding
EDIT_MISMATCH
    \b(old ?str(ing)?|old ?text|string to replace|search (block|text|string)|text to replace|anchor|snippet
        |context lines?)\b.{0,80}(not found|no match|did not match|not unique|multiple|matches|occurrences
        |appears|does not exist)
    found \d+ (matches|occurrences) of|no (exact )?(match|replacement)( was)? (found|performed)
    (multiple|several) (matches|occurrences) (of|found|for)
    (matches|appears|occurs) (in )?(multiple|more than|\d+) (places|times|once)
NULL_REFERENCE
    none ?type|null ?pointer|(of|on|for|to) (null|undefined|nil|none)\b|nil (pointer|value)|null ?reference
    undefined is not|cannot read propert|object reference not set|null object|nil:nil|空指针
    unexpectedly found nil|option::unwrap|none value
UNKNOWN_TOOL
    (unknown|no such|unregistered|unavailable|nonexistent|invalid|unsupported|undefined) tool( name
        | call)?\b
    \btool\b.{0,90}(not found|does not exist|not exist|not registered|not available|is not a valid|unknown)
    (unsupported|unknown) (tool )?call:[ ]|is not a valid tool|no tool (with that name|named|called)
    requested tool|no such tool|(工具|函数).{0,30}(不存在|未找到|未注册)|未知(的)?工具
    没有(名为|该).{0,20}工具
IMPORT_NOT_ALLOWED
    (import|function|attribute|module|access).{0,60}(not allowed|forbidden|not permitted
        |not among the).{0,80}
AMBIGUOUS_COLUMN
    ambiguous (column|field|reference|name)|(column|reference|field)\b.{0,80}\bambiguous|列.{0,20}不明确
WRONG_PARAMETER_COUNT
    (number of|supplied|many|few) (bind(ing)?s?|parameters|arguments for|values for|placeholders).{0,60}
    incorrect number of (bindings|arguments|parameters)|not all arguments converted|not enough arguments for
    (bind message supplies|wrong number of arguments|参数(个数|数量)(不|错))
UNKNOWN_COLUMN
    (no such|unknown|undefined|invalid|unrecognized|unresolved|missing|nonexistent) columns?\b
    \bcolumns?\b.{0,110}(does not exist|do not exist|doesn't exist|not found|not present|cannot be resolved
        |not exist)
    (find|resolve|locate|has no|no|with) (the )?(columns?|field) (named|called|with name|')
    unrecognized name|(not|cannot) resolve (column|field name)|(undefined|unknown) (column|field) name
    column.{0,40} must appear|column_not_found
    (unable|failed|not|unable to) (to )?(find|resolve|locate) (the )?columns?\b|columns? (are )?missing
    missing columns|\bnot in index\b|not found in axis|in the \[(columns|index)\]|ora-00904
    invalid identifier|unknown identifier|column not found|(列|字段)(名)?.{0,40}(不存在|未找到|无效)
    (未知|无效|不存在)的?(列|字段)
UNKNOWN_TABLE
    (no such|unknown|undefined|invalid|nonexistent) (table|view|relation|object name|index table)\b
    \b(table|relation|view|dataset|measurement)\b.{0,110}(does not exist|doesn't exist|not found|not exist)
    ora-00942|table or view|no such (collection|measurement|namespace)|(数据)?表.{0,40}(不存在|未找到)
UNKNOWN_FUNCTION
    (no such|unknown|undefined|unrecognized|unsupported) (function|procedure|aggregate|operator)\b
    \b(function|procedure|operator|aggregate|macro|filter)\b.{2,140}(does not exist|not found|is not defined
        |not exist)
    not a (known|valid|recognized|supported|defined|registered|built-?in) (function|operator)
    no (function|operator|filter|macro|test) (matches|named|exists)|函数.{0,30}(不存在|未定义)
DATABASE_NOT_FOUND
    (unknown|no such) (database|catalog|schema|keyspace)\b|数据库.{0,30}(不存在|未找到)
    \b(database|catalog|schema|keyspace)\b.{0,80}(does not exist|doesn't exist|not found|not exist)
CHECK_VIOLATION
    check (constraint|violation)|violates check|检查约束
STILL_REFERENCED
    still referenced|cannot delete or update a parent row|because (they|it) (are|is) referenced
    protected foreign|on table .{0,80}foreign key constraint.{0,120} on table|child record found|仍被引用
    存在关联
MISSING_REFERENCE
    foreign key|integrity constraint.{0,40}parent key not found|is not present in table|外键
MISSING_VALUE
    not.null constraint|cannot be null|can't be null|null value|may not be null|cannot insert null
    doesn't have a default value|must not be (null|none)|不能为(空|null)
VALUE_OUT_OF_RANGE
    failed validating '?(exclusive)?(minimum|maximum|(min|max)(length|items|properties)|multipleof|multiple of)
INVALID_DATE
    not recognized as a valid (date|time)
INVALID_FORMAT
    not recognized as a valid [a-z]
NOT_FOUND
    no such element
DUPLICATE_VALUE
    (primary|unique) key constraint|insert duplicate
    unique constraint|duplicate (key|entry|entries|value|record|row)|unique (violation|index)|not unique
    duplicate key|duplicate (primary|unique)|e11000|already taken|must be unique
    (唯一|重复)(键|约束|值|记录)|ora-00001
SQL_SYNTAX_ERROR
    (sql|query|statement|cypher|cql).{0,30}(syntax|parse|parsing)|(syntax|parse).{0,40}\bsql\b
    near .{1,80}: syntax error|syntax error (at or near|at end of input|near|in sql)|incorrect syntax near
    ora-009(00|33|36|23)|sql语法|you can only execute one statement|unterminated quoted (string|identifier)
    incomplete input
READ_ONLY
    read.?only (transaction|database|connection|file system|filesystem|mode|user|session)|readonly database
    只读|(cannot|can't|attempt to) (execute|write|run) .{0,40}read.?only|only select|not a select
READ_ONLY_REPLICA
    read.?only replica|not (the )?(primary|master|leader)|node is not|no longer (primary|leader|master)
    notwritableprimary
DEADLOCK
    deadlock (detected|found)|was deadlocked|deadlock victim|死锁
SERIALIZATION_FAILURE
    (could not|cannot) serialize|serialization (failure|error)|write conflict|transaction (was |is )?aborted
    end of transaction block|concurrent update|optimistic (lock|concurrency)
    transaction.{0,40}(conflict|retry)
LOCK_NOT_ACQUIRED
    (unable|failed|could not|cannot|can't) (to )?(acquire|obtain|get|take).{0,30}\block
    lock (wait|request|acquisition)|exclusive access|unable to lock|lock row|lock not available
    lock.{0,30}(timed out|timeout)|(database|table|file|resource|record) (is )?locked
    正被(其他|他人).{0,10}(占用|编辑|锁定)|lock (error|not owned)|resource busy and acquire
    could not obtain lock|获取锁
QUERY_TIMEOUT
    (statement|query|max execution|execution|lock) time(out)?.{0,20}exceeded|statement timeout
    query (was )?(interrupted|cancel|timed out|killed|timeout)
    (canceling|cancelled|canceled|cancelling) statement|query execution was interrupted
    maximum statement execution|查询超时
CONNECTION_POOL_EXHAUSTED
    \bpool (of size|limit|timeout|exhausted|is (full|exhausted)|timed out|overflow|empty|max)
    pool .{0,30}(exhausted|limit of)|(acquir|check|obtain|get)\w*.{0,30}connection.{0,30}\bpool
    too many (connections|clients)|remaining connection slots|connection (limit|slots)|max_connections
    connection is not available, request timed out|pool limit|连接(池|数)(已满|耗尽)
DATABASE_UNAVAILABLE
    (database|db|server) (system )?(is )?(starting up|shutting down|in recovery|not yet accepting
        |not accepting|down)
CONNECTION_LOST
    lost (contact|touch)|(terminating|lost|losing|dropped|broken) (the )?connection
    connection.{0,40}(was )?(lost|dropped|terminated|gone)|server has gone away|server closed the connection
    connection (is|was|already|has been) (already )?closed|closed the connection|admin shutdown
    lost connection|connection to .{0,80} was lost|连接(已)?(断开|丢失|中断)
TLS_CERTIFICATE_ERROR
    certificate.{0,80}(verif|expired|self.signed|not (yet )?valid|unknown|untrusted|invalid|revoked|mismatch
        |problem|not trusted)
    (verif|self.signed|unknown|untrusted|invalid|expired|unable to get).{0,40}certificate
    cert (authority|has expired)|pkix path|hostname.{0,20}mismatch|depth zero self signed
    unable to verify the first|x509:|(ssl )?证书
TLS_ERROR
    (ssl|tls).{0,40}(error|fail|handshake|wrong|alert|unexpected|unsupported|eof|protocol)
    handshake.{0,20}(fail|error)|wrong version number|err ssl|schannel|(ssl|tls)握手
DNS_FAILURE
    (name or service|nodename nor servname|no address associated|name resolution|getaddrinfo|gaierror
        |nxdomain)
    (enotfound|eai again|unknown host|no such host\b|could not resolve host|couldn't resolve host
        |failed to resolve host)
    (resolve|resolving|resolution of|lookup|look up|lookup of)[^.:]{0,24}\b(host|hostname|dns|domain|address
        |proxy)
    (not|cannot|can't|couldn't|failed to|unable to) resolve .?[a-z0-9-]+(\.[a-z0-9-]+)+
    dns.{0,40}(fail|error|timeout|not exist|nx)|failed to lookup address|unable to resolve host
    name not resolved|host not found|can't find .{1,80}(nxdomain|no answer)|name resolution error
    (域名|主机名|dns).{0,15}(解析|无法|失败)|failed to resolve '|query name does not exist
NETWORK_UNREACHABLE
    (network|host|destination|server|service|broker|node|address).{0,20}(is )?unreachable|no route to host
    ehostunreach|enetunreach|(网络|主机|服务器).{0,5}不可达
DAEMON_NOT_RUNNING
    daemon (is )?(not )?running|connect to the .{0,20}daemon|(service|server|agent|engine) (is )?not running
CONNECTION_REFUSED
    no listener|listener (refused|does not|could not)|connection refused|econnrefused
    refused (the |to |our )?connect|actively refused|connect.{0,60}\brefused|拒绝.{0,6}连接|连接被?(拒绝|拒)
CONNECTION_RESET
    connection (was )?(reset|aborted|forcibly)|econnreset|econnaborted|reset by peer|broken pipe|epipe
    socket hang up|forcibly closed|remote (end|host|disconnected|server) (closed|disconnected)
    remote disconnected|server disconnected|connection (closed|closed error|closed before|broken|ended)
    peer closed connection|unexpected eof (while reading|from|in ssl)|eof occurred|连接被?(重置|关闭)
    close frame|abnormal closure|closed abnormally|(ssh|protocol) (protocol )?banner
    session (is )?(not active|closed)|channel (is )?closed
    connection (was |is |has been )?unexpectedly (closed|terminated)
    (stream|socket|pipe|transport|channel|session) (was |is |has been |unexpectedly )*(closed|reset
        |destroyed|ended)
    (disconnected|closed).{0,40}(without|before) (sending|receiving|response|completing|headers)
INCOMPLETE_RESPONSE
    incomplete (read|message|response|body|payload)|chunked encoding|payload is not completed
    premature (close|end of file)|(transfer|stream|response).{0,20}(closed|cut|truncated|ended prematurely)
    bytes read, .{1,20} more expected
EMPTY_REPLY
    empty (reply|response)|no data (was )?received|返回为空
PROXY_ERROR
    (cannot|unable to|failed to) connect to proxy|proxy (error|connection|tunnel|authentication)
    tunnel connection failed|代理(服务器)?.{0,6}(错误|失败)
TOO_MANY_REDIRECTS
    (too many|exceeded|maximum).{0,30}redirect|redirects? (followed|loop)|redirect loop|重定向(次数)?过多
RATE_LIMITED
    rate.?limit|too many requests|throttl|slow.?down
    (requests?|calls?|queries|messages) per (second|minute|hour|day|min|sec)
    too many (\w+ )?(calls|requests|attempts|messages|queries|logins|tries)
    (call|request|message|query)s? (volume|count|rate|quota|frequency) (was |is )?(exceeded|too high)
    \btoo (fast|frequent)|(request|call) (rate|frequency)|flood(ing| ?wait)?|provisioned throughput
    tpm limit|ratelimit|请求.{0,6}(过于|太)频繁|限流|频率(超|限|过)|操作(过于|太)频繁|访问(过于|太)频繁
    调用.{0,6}(超限|频)
INSUFFICIENT_FUNDS
    insufficient (\w+ )?(funds?|balance|credits?|money|wallet|buying power|margin|points|miles|allowance
        |collateral|liquidity|equity|coins)
    not enough (funds|balance|money|credits?|points|miles|coins)
    (balance|points|funds|credits?|miles|margin) (is |are )?(insufficient|not enough|too low)
    (积分|余额|资金|额度|保证金)(不足|不够)|余额不足|额度不足|资金不足
    (balance|credit limit|credits?|funds).{0,40}(too low|not sufficient|insufficient|exceeded|exhausted)
    overdr(aft|awn)|欠费
QUOTA_EXCEEDED
    (insufficient|exceed\w*|out of|over|used up|reached).{0,60}quota
    quota.{0,60}(exceed|reached|exhaust|used up|insufficient|limit)|配额
    (daily|monthly|weekly|plan|usage|billing|api|account) (usage |call |request )?(limit|cap
        |allowance) (exceeded|reached|hit)
    billing (hard )?limit
CONTEXT_LENGTH_EXCEEDED
    (context|prompt|input|token).{0,30}(length|window|limit|size).{0,60}(exceed|maximum|too long|is \d)
    (maximum|max) context|(prompt|input|messages?) (is|are) too long|reduce the length|上下文.{0,8}(超|过)长
OUT_OF_MEMORY
    killed signal terminated|fatal error: killed
    out of (\w+ )?memory|outofmemory|(cannot|unable to|failed to|could not) allocate|enomem|memory ?error
    heap space|heap limit|oom.?kill|maxmemory|memory (limit|quota).{0,20}(exceed|reach)|bad alloc
    not enough memory|insufficient memory|内存不足|exit code 137
DISK_FULL
    no space left|disk (is )?full|disk quota|enospc|not enough (disk )?space
    insufficient (disk )?(storage|space)|out of disk|磁盘.{0,6}(不足|已满)
    (storage|volume|device|database or disk) is full|存储空间不足
TOO_MANY_OPEN_FILES
    too many open files|emfile|enfile
PORT_IN_USE
    port is already allocated|(address|port|socket).{0,40}(already )?in use|eaddrinuse
    only one usage of each socket|端口.{0,15}占用|address already
CIRCUIT_OPEN
    circuit.?breaker|circuit (is )?open|熔断|breaker.{0,20}open|timeout not elapsed yet
WORKER_CRASHED
    (worker|process pool|child process|subprocess|kernel).{0,60}(died|crashed|terminated|killed|exited|lost
        |dead)
    broken process pool|broken executor
CRASHED
    died with[ ]|killed by signal|terminated by signal|signal \d+[ ]|sigkill|sigterm|segmentation fault
    sigsegv|sigabrt|core dumped|stack smashing|bus error|illegal instruction|fatal signal|access violation
RECURSION_LIMIT
    recursion (limit|depth|error)|maximum (recursion|call stack)|stack (overflow|level too deep)
    stackoverflow|too much recursion|max(imum)? depth exceeded
"""
