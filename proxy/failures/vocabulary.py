"""The words in which failures are told, in English and Chinese, and what each means.

One ordered list of general patterns: the first that fits decides. Exception names and codes are read as words too
(`ResourceNotFoundException` is "resource not found exception", `OUT_OF_STOCK` is "out of stock"), so a library never
seen before is understood by what its authors called things. No pattern knows a tool or a sentence of one library
where a general form does.

The patterns run as sets on a linear-time engine: one pass over the text, whatever it holds. `SPECIFIC` outranks
machine codes and statuses, `GENERAL` comes after them. A line is `CODE pattern`; a leading `~` marks words that
occur in good news too, so that they tell the kind of a failure but never that there is one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import re2

SPECIFIC = r"""
OUTPUT_TOO_LARGE (result|output|response|content|file content)\b.{0,60}(exceeds?|too (large|long|big)).{0,40}(maximum|tokens|limit|characters|bytes|context)
UNAUTHORIZED refused.{0,10}not authori[sz]ed
FORBIDDEN (denied|rejected|declined|refused|not approved|cancell?ed|blocked|aborted) by (the )?(user|human|operator)|user (has )?(denied|rejected|declined|refused|does(n't| not) want)|用户(已)?(拒绝|取消)
QUERY_TIMEOUT exceeded (the )?(\w+ )?(resource|cpu|compute|execution time) (limits?|quota|seconds)|(query|statement) exceeded
WRONG_PARAMETER_COUNT \b\d+ columns? but \d+ values?|\b\d+ values? for \d+ (columns?|placeholders?|parameters?)
TOOL_BUG (created|used|accessed|called) (in|from) (a|that|the|another|a different)( same| different| other)? thread|thread.?safe|not the main thread|closed (database|file|pool|session)\b
INVALID_RESPONSE received response with|(invalid|malformed|bad|unreadable|unparse?able) (server |http |api |upstream )?response|unexpected mimetype|attempt to decode json
VERSION_CONFLICT (document|update|version|edit|write|revision|object) (update )?conflict\b|(object|row|record|document|entity|resource|file|page|variable) (has been|was) (updated|modified|changed|deleted|edited) (by|since|in)|object has been modified|may have been (modified|deleted|changed)|latest version and try again|watched variable|(is|are) (out of date|outdated|stale)|已被其他.{0,6}(修改|更新)
MULTIPLE_RESULTS multiple (rows|results|records|objects|matches|values|documents|entries) (were |was |are )?(found|returned|match)|more than one (\w+ )?(row|result|record|object|match|value)|returned more than one|exactly one (row|result|record) (was )?(expected|required)|multiple\w* results found
UPSTREAM_ERROR exception (calling|in) (the )?application|exception (was )?thrown by handler|unhandled exception in (the )?(server|handler|service)|exception iterating
MISSING_CREDENTIALS could not read (username|password)|terminal is required to read the password|a password is required
TOOL_BUG object (is not|of type .{1,60} is not) (subscriptable|callable|iterable|json serializable|an iterator|awaitable|reversible)|is not json serializable|does not support item (assignment|deletion)
TOOL_BUG has no len\(\)|arg is an empty sequence|pop from (an )?empty|popitem\(\)|argument must be (a string|an? \w+)( or a? ?(real number|number|\w+))?, not|sequence item \d+: expected|can only concatenate|doesn't define _|dictionary update sequence|release unlocked|arg 2 must be|cannot be interpreted as an|no running event loop|object is not an? |iterable argument is empty
TOOL_BUG truth value of|referenced before assignment|not associated with a value|unhashable type|(not enough|too many) values to unpack|cannot unpack non-iterable|(list|tuple|string|slice|byte) indices must be
TOOL_BUG event loop (is closed|is already running)|running event loop|never awaited|offset-naive and offset-aware|changed size during iteration|mutated during iteration|generator (already executing|raised stopiteration)
TOOL_BUG can't locate object method|call to undefined|call to a member function|bad operand type|can't pickle|cannot pickle|can't set attribute|property .{1,60} has no setter|object has no attribute|has no attribute|object does not support|must be real number, not|exceptions must derive
TOOL_BUG not (yet )?(been )?(fitted|initiali[sz]ed|trained|bootstrapped)\b|working outside of (application|request) context|apps aren't loaded|no current event loop|maximum update depth|is not a constructor|is not a function\b|before initialization
CONNECTION_FAILED (网络|通信|通讯).{0,6}(失败|异常|错误|中断|故障|不通)
SERVICE_UNAVAILABLE (服务|系统|接口|网关|平台|功能)[^，。,；]{0,8}(不可用|维护|停机|下线)
SERVICE_OVERLOADED (服务|系统|服务器|网络)[^，。,；]{0,4}(繁忙|过载)$|(服务|系统|服务器)[^，。,；]{0,4}(繁忙|过载)[，,]?请?稍[后候][^：:]{0,8}$
RATE_LIMITED (接口|调用|api|请求|访问).{0,8}(超过|超出|达到).{0,6}(限额|上限|次数|配额|限制|频率)
TOKEN_EXPIRED (登录|会话|令牌|token|凭证|session|身份|授权).{0,6}(过期|失效|超时)
INVALID_TOKEN 签名.{0,6}(失败|错误|无效|不匹配|不正确)|(令牌|token).{0,6}(无效|错误)
INVALID_VALUE duplicate (entries|labels|axis|columns?|indices|keys? in)|contains duplicate
INVALID_FILE (could not|unable to|failed to|cannot|can't|error) (read|load|parse|decode|reading|loading|parsing) .{0,40}(certificate|private key|key file|image|archive|workbook|document|header|pem)
INVALID_FILE not in \w+ format|(marker|signature|magic( bytes| number)?|header|footer|trailer|central directory) (was )?not found|not found in footer|bof record|has not been decrypted|is (encrypted|password.protected)
INVALID_FILE (mac|checksum|integrity|hash|digest|crc|padding) (check|verification|validation|value)? ?(failed|mismatch|does not match|is incorrect)|(bad|wrong|incorrect|invalid) (checksum|crc|padding|magic)|incorrect padding
EDIT_MISMATCH \b(old ?str(ing)?|old ?text|string to replace|search (block|text|string)|text to replace|anchor|snippet|context lines?)\b.{0,80}(not found|no match|did not match|not unique|multiple|matches|occurrences|appears|does not exist)
EDIT_MISMATCH found \d+ (matches|occurrences) of|no (exact )?(match|replacement)( was)? (found|performed)|(multiple|several) (matches|occurrences) (of|found|for)|(matches|appears|occurs) (in )?(multiple|more than|\d+) (places|times|once)
NULL_REFERENCE none ?type|null ?pointer|(of|on|for|to) (null|undefined|nil|none)\b|nil (pointer|value)|null ?reference|undefined is not|cannot read propert|object reference not set|null object|nil:nil|空指针|unexpectedly found nil|option::unwrap|none value
UNKNOWN_TOOL (unknown|no such|unregistered|unavailable|nonexistent|invalid|unsupported|undefined) tool( name| call)?\b
UNKNOWN_TOOL \btool\b.{0,90}(not found|does not exist|not exist|not registered|not available|is not a valid|unknown)
UNKNOWN_TOOL (unsupported|unknown) (tool )?call: |is not a valid tool|no tool (with that name|named|called)|requested tool
UNKNOWN_TOOL no such tool|(工具|函数).{0,30}(不存在|未找到|未注册)|未知(的)?工具|没有(名为|该).{0,20}工具
IMPORT_NOT_ALLOWED (import|function|attribute|module|access).{0,60}(not allowed|forbidden|not permitted|not among the).{0,80}
AMBIGUOUS_COLUMN ambiguous (column|field|reference|name)|(column|reference|field)\b.{0,80}\bambiguous|列.{0,20}不明确
WRONG_PARAMETER_COUNT (number of|supplied|many|few) (bind(ing)?s?|parameters|arguments for|values for|placeholders).{0,60}
WRONG_PARAMETER_COUNT incorrect number of (bindings|arguments|parameters)|not all arguments converted|not enough arguments for
WRONG_PARAMETER_COUNT (bind message supplies|wrong number of arguments|参数(个数|数量)(不|错))
UNKNOWN_COLUMN (no such|unknown|undefined|invalid|unrecognized|unresolved|missing|nonexistent) columns?\b
UNKNOWN_COLUMN \bcolumns?\b.{0,110}(does not exist|do not exist|doesn't exist|not found|not present|cannot be resolved|not exist)
UNKNOWN_COLUMN (find|resolve|locate|has no|no|with) (the )?(columns?|field) (named|called|with name|')
UNKNOWN_COLUMN unrecognized name|(not|cannot) resolve (column|field name)|(undefined|unknown) (column|field) name|column.{0,40} must appear|column_not_found
UNKNOWN_COLUMN (unable|failed|not|unable to) (to )?(find|resolve|locate) (the )?columns?\b|columns? (are )?missing|missing columns
UNKNOWN_COLUMN \bnot in index\b|not found in axis|in the \[(columns|index)\]|ora-00904|invalid identifier|unknown identifier
UNKNOWN_COLUMN column not found|(列|字段)(名)?.{0,40}(不存在|未找到|无效)|(未知|无效|不存在)的?(列|字段)
UNKNOWN_TABLE (no such|unknown|undefined|invalid|nonexistent) (table|view|relation|object name|index table)\b
UNKNOWN_TABLE \b(table|relation|view|dataset|measurement)\b.{0,110}(does not exist|doesn't exist|not found|not exist)
UNKNOWN_TABLE ora-00942|table or view|no such (collection|measurement|namespace)|(数据)?表.{0,40}(不存在|未找到)
UNKNOWN_FUNCTION (no such|unknown|undefined|unrecognized|unsupported) (function|procedure|aggregate|operator)\b
UNKNOWN_FUNCTION \b(function|procedure|operator|aggregate|macro|filter)\b.{0,140}(does not exist|not found|is not defined|not exist)
UNKNOWN_FUNCTION not a (known|valid|recognized|supported|defined|registered|built-?in) (function|operator)|no (function|operator|filter|macro|test) (matches|named|exists)|函数.{0,30}(不存在|未定义)
DATABASE_NOT_FOUND (unknown|no such) (database|catalog|schema|keyspace)\b|数据库.{0,30}(不存在|未找到)
DATABASE_NOT_FOUND \b(database|catalog|schema|keyspace)\b.{0,80}(does not exist|doesn't exist|not found|not exist)
CHECK_VIOLATION check (constraint|violation)|violates check|检查约束
STILL_REFERENCED still referenced|cannot delete or update a parent row|because (they|it) (are|is) referenced|protected foreign
STILL_REFERENCED on table .{0,80}foreign key constraint.{0,120} on table|child record found|仍被引用|存在关联
MISSING_REFERENCE foreign key|integrity constraint.{0,40}parent key not found|is not present in table|外键
MISSING_VALUE not.null constraint|cannot be null|can't be null|null value|may not be null|cannot insert null|doesn't have a default value
MISSING_VALUE must not be (null|none)|不能为(空|null)
DUPLICATE_VALUE unique constraint|duplicate (key|entry|entries|value|record|row)|unique (violation|index)|not unique|duplicate key
DUPLICATE_VALUE duplicate (primary|unique)|e11000|already taken|must be unique|(唯一|重复)(键|约束|值|记录)|ora-00001
SQL_SYNTAX_ERROR (sql|query|statement|cypher|cql).{0,30}(syntax|parse|parsing)|(syntax|parse).{0,40}\bsql\b|near .{1,80}: syntax error
SQL_SYNTAX_ERROR syntax error (at or near|at end of input|near|in sql)|incorrect syntax near|ora-009(00|33|36|23)|sql语法
SQL_SYNTAX_ERROR you can only execute one statement|unterminated quoted (string|identifier)|incomplete input
READ_ONLY read.?only (transaction|database|connection|file system|filesystem|mode|user|session)|readonly database|只读
READ_ONLY (cannot|can't|attempt to) (execute|write|run) .{0,40}read.?only|only select|not a select
READ_ONLY_REPLICA read.?only replica|not (the )?(primary|master|leader)|node is not|no longer (primary|leader|master)|notwritableprimary
DEADLOCK deadlock (detected|found)|was deadlocked|deadlock victim|死锁
SERIALIZATION_FAILURE (could not|cannot) serialize|serialization (failure|error)|write conflict|transaction (was |is )?aborted|end of transaction block|concurrent update
SERIALIZATION_FAILURE optimistic (lock|concurrency)|transaction.{0,40}(conflict|retry)
LOCK_NOT_ACQUIRED (unable|failed|could not|cannot|can't) (to )?(acquire|obtain|get|take).{0,30}\block|lock (wait|request|acquisition)
LOCK_NOT_ACQUIRED exclusive access|unable to lock|lock row|lock not available|lock.{0,30}(timed out|timeout)|(database|table|file|resource|record) (is )?locked|正被(其他|他人).{0,10}(占用|编辑|锁定)
LOCK_NOT_ACQUIRED lock (error|not owned)|resource busy and acquire|could not obtain lock|获取锁
QUERY_TIMEOUT (statement|query|max execution|execution|lock) time(out)?.{0,20}exceeded|statement timeout|query (was )?(interrupted|cancel|timed out|killed|timeout)
QUERY_TIMEOUT (canceling|cancelled|canceled|cancelling) statement|query execution was interrupted|maximum statement execution|查询超时
CONNECTION_POOL_EXHAUSTED \bpool (of size|limit|timeout|exhausted|is (full|exhausted)|timed out|overflow|empty|max)|pool .{0,30}(exhausted|limit of)|(acquir|check|obtain|get)\w*.{0,30}connection.{0,30}\bpool|too many (connections|clients)
CONNECTION_POOL_EXHAUSTED remaining connection slots|connection (limit|slots)|max_connections|pool limit|连接(池|数)(已满|耗尽)
DATABASE_UNAVAILABLE (database|db|server) (system )?(is )?(starting up|shutting down|in recovery|not yet accepting|not accepting|down)
CONNECTION_LOST lost (contact|touch)|(terminating|lost|losing|dropped|broken) (the )?connection|connection.{0,40}(was )?(lost|dropped|terminated|gone)
CONNECTION_LOST server has gone away|server closed the connection|connection (is|was|already|has been) (already )?closed|closed the connection
CONNECTION_LOST admin shutdown|lost connection|connection to .{0,80} was lost|连接(已)?(断开|丢失|中断)
TLS_CERTIFICATE_ERROR certificate.{0,80}(verif|expired|self.signed|not (yet )?valid|unknown|untrusted|invalid|revoked|mismatch|problem|not trusted)
TLS_CERTIFICATE_ERROR (verif|self.signed|unknown|untrusted|invalid|expired|unable to get).{0,40}certificate|cert (authority|has expired)|pkix path
TLS_CERTIFICATE_ERROR hostname.{0,20}mismatch|depth zero self signed|unable to verify the first|x509:|(ssl )?证书
TLS_ERROR (ssl|tls).{0,40}(error|fail|handshake|wrong|alert|unexpected|unsupported|eof|protocol)|handshake.{0,20}(fail|error)|wrong version number
TLS_ERROR err ssl|schannel|(ssl|tls)握手
DNS_FAILURE (name or service|nodename nor servname|no address associated|name resolution|getaddrinfo|gaierror|nxdomain)
DNS_FAILURE (enotfound|eai again|unknown host|no such host|could not resolve host|couldn't resolve host|failed to resolve host)
DNS_FAILURE (resolve|resolving|resolution of|lookup|look up|lookup of)[^.:]{0,24}\b(host|hostname|dns|domain|address|proxy)|(not|cannot|can't|couldn't|failed to|unable to) resolve .?[a-z0-9-]+(\.[a-z0-9-]+)+|dns.{0,40}(fail|error|timeout|not exist|nx)
DNS_FAILURE failed to lookup address|unable to resolve host|name not resolved|host not found|can't find .{1,80}(nxdomain|no answer)
DNS_FAILURE name resolution error|(域名|主机名|dns).{0,15}(解析|无法|失败)|failed to resolve '|query name does not exist
NETWORK_UNREACHABLE (network|host|destination|server|service|broker|node|address).{0,20}(is )?unreachable|no route to host|ehostunreach|enetunreach
NETWORK_UNREACHABLE (网络|主机|服务器).{0,5}不可达
DAEMON_NOT_RUNNING daemon (is )?(not )?running|connect to the .{0,20}daemon|(service|server|agent|engine) (is )?not running
CONNECTION_REFUSED no listener|listener (refused|does not|could not)|connection refused|econnrefused|refused (the |to |our )?connect|actively refused|connect.{0,60}\brefused|拒绝.{0,6}连接|连接被?(拒绝|拒)
CONNECTION_RESET connection (was )?(reset|aborted|forcibly)|econnreset|econnaborted|reset by peer|broken pipe|epipe|socket hang up
CONNECTION_RESET forcibly closed|remote (end|host|disconnected|server) (closed|disconnected)|remote disconnected|server disconnected
CONNECTION_RESET connection (closed|closed error|closed before|broken|ended)|peer closed connection|unexpected eof (while reading|from|in ssl)|eof occurred|连接被?(重置|关闭)
CONNECTION_RESET close frame|abnormal closure|closed abnormally|(ssh|protocol) (protocol )?banner|session (is )?(not active|closed)|channel (is )?closed|connection (was |is |has been )?unexpectedly (closed|terminated)|(stream|socket|pipe|transport|channel|session) (was |is |has been |unexpectedly )*(closed|reset|destroyed|ended)
CONNECTION_RESET (disconnected|closed).{0,40}(without|before) (sending|receiving|response|completing|headers)
INCOMPLETE_RESPONSE incomplete (read|message|response|body|payload)|chunked encoding|payload is not completed|premature (close|end of file)
INCOMPLETE_RESPONSE (transfer|stream|response).{0,20}(closed|cut|truncated|ended prematurely)|bytes read, .{1,20} more expected
EMPTY_REPLY empty (reply|response)|no data (was )?received|返回为空
PROXY_ERROR (cannot|unable to|failed to) connect to proxy|proxy (error|connection|tunnel|authentication)|tunnel connection failed|代理(服务器)?.{0,6}(错误|失败)
TOO_MANY_REDIRECTS (too many|exceeded|maximum).{0,30}redirect|redirects? (followed|loop)|redirect loop|重定向(次数)?过多
RATE_LIMITED rate.?limit|too many requests|throttl|slow.?down|(requests?|calls?|queries|messages) per (second|minute|hour|day|min|sec)
RATE_LIMITED too many (\w+ )?(calls|requests|attempts|messages|queries|logins|tries)|(call|request|message|query)s? (volume|count|rate|quota|frequency) (was |is )?(exceeded|too high)|\btoo (fast|frequent)|(request|call) (rate|frequency)|flood(ing| ?wait)?|provisioned throughput|tpm limit|ratelimit
RATE_LIMITED 请求.{0,6}(过于|太)频繁|限流|频率(超|限|过)|操作(过于|太)频繁|访问(过于|太)频繁|调用.{0,6}(超限|频)
INSUFFICIENT_FUNDS insufficient (\w+ )?(funds?|balance|credits?|money|wallet|buying power|margin|points|miles|allowance|collateral|liquidity|equity|coins)|not enough (funds|balance|money|credits?|points|miles|coins)|(balance|points|funds|credits?|miles|margin) (is |are )?(insufficient|not enough|too low)|(积分|余额|资金|额度|保证金)(不足|不够)|余额不足|额度不足|资金不足
INSUFFICIENT_FUNDS (balance|credit limit|credits?|funds).{0,40}(too low|not sufficient|insufficient|exceeded|exhausted)|overdr(aft|awn)|欠费
QUOTA_EXCEEDED (insufficient|exceed\w*|out of|over|used up|reached).{0,60}quota|quota.{0,60}(exceed|reached|exhaust|used up|insufficient|limit)|配额
QUOTA_EXCEEDED (daily|monthly|weekly|plan|usage|billing|api|account) (usage |call |request )?(limit|cap|allowance) (exceeded|reached|hit)|billing (hard )?limit
CONTEXT_LENGTH_EXCEEDED (context|prompt|input|token).{0,30}(length|window|limit|size).{0,60}(exceed|maximum|too long|is \d)|(maximum|max) context
CONTEXT_LENGTH_EXCEEDED (prompt|input|messages?) (is|are) too long|reduce the length|上下文.{0,8}(超|过)长
OUT_OF_MEMORY out of (\w+ )?memory|outofmemory|(cannot|unable to|failed to|could not) allocate|enomem|memory ?error|heap space|heap limit|oom.?kill
OUT_OF_MEMORY maxmemory|memory (limit|quota).{0,20}(exceed|reach)|bad alloc|not enough memory|insufficient memory|内存不足|exit code 137
DISK_FULL no space left|disk (is )?full|disk quota|enospc|not enough (disk )?space|insufficient (disk )?(storage|space)|out of disk|磁盘.{0,6}(不足|已满)
DISK_FULL (storage|volume|device|database or disk) is full|存储空间不足
TOO_MANY_OPEN_FILES too many open files|emfile|enfile
PORT_IN_USE port is already allocated|(address|port|socket).{0,40}(already )?in use|eaddrinuse|only one usage of each socket|端口.{0,15}占用|address already
CIRCUIT_OPEN circuit.?breaker|circuit (is )?open|熔断|breaker.{0,20}open|timeout not elapsed yet
WORKER_CRASHED (worker|process pool|child process|subprocess|kernel).{0,60}(died|crashed|terminated|killed|exited|lost|dead)|broken process pool|broken executor
CRASHED died with |killed by signal|terminated by signal|signal \d+ |sigkill|sigterm|segmentation fault|sigsegv|sigabrt|core dumped|stack smashing|bus error|illegal instruction|fatal signal|access violation
RECURSION_LIMIT recursion (limit|depth|error)|maximum (recursion|call stack)|stack (overflow|level too deep)|stackoverflow|too much recursion|max(imum)? depth exceeded
"""

BUSINESS = r"""
RECIPIENT_UNSUBSCRIBED unsubscribed|opted out|opt.?out|do.?not.?(contact|call|disturb)|suppress(ion list|ed recipient)|退订|拒收
OUT_OF_STOCK (out of|insufficient|not enough|no|low|zero|limited) (stock|inventory)|stock (not enough|insufficient|exceeded|out)|sold.?out|库存|缺货|售罄|无货
OUT_OF_STOCK only \d+ [^,.;:\n]{0,40}(left|in stock|available|remaining)|(\d+|none|few) (units? )?(left|remaining|available) ?(,|;|\(|in stock|for)|out.of.stock
OUT_OF_STOCK 已?(下架|停售|断货|脱销)
OUT_OF_STOCK (insufficient|not enough) (quantity|units|items|supply|availability|seats|tickets)|back.?order|discontinued|余票不足|余量不足
REFUND_EXCEEDS_PAYMENT (refund|amount).{0,60}(greater|more|exceed|larger|higher).{0,60}(charge|payment|paid|unrefunded|captured|refundable)
REFUND_EXCEEDS_PAYMENT 退款(金额)?.{0,12}(超过|大于|超出).{0,20}(支付|实付|订单|可退)
AGE_RESTRICTED \b(age|aged|years? old|minor|underage|adult)\b.{0,60}(restrict|require|at least|under|minimum|must|verif)|minimum age|未成年|年龄
AGE_RESTRICTED (must be|at least) (at least )?\d+ years|age (restricted|limit|verification)|under the (minimum|legal) age
MINIMUM_NOT_MET (minimum|min) (order|spend|purchase|amount|stay|quantity|nights|balance|deposit|charge|basket|value).{0,60}
MINIMUM_NOT_MET (below|under|less than|not (met|reached)).{0,40}(minimum|threshold)|minimum.{0,40}not (met|reached)|未满|未达到|金额不足|不足.{1,10}元|起订|最低(消费|金额|限额)|低于最低
CARD_DECLINED (card|payment|charge|transaction|bank|issuer|authori[sz]ation).{0,60}(declin|refus|rejected|not honou?red|failed by)|declined|do not honou?r
CARD_DECLINED (security code|cvc|cvv|pin|expiration (date|year|month)|zip code|account number).{0,30}(incorrect|invalid|wrong|failed|does not match)|card (has |is )?(expired|blocked|lost|stolen|not supported|invalid)|expired card|incorrect cvc|支付(被拒|失败)|(银行|信用)卡.{0,10}(过期|拒绝|无效)
CARD_DECLINED payment required|\bfraud|stolen card|扣款失败
DOUBLE_BOOKING (already|is|are|was|been|double|over).?(booked|reserved|occupied)|double.?booking|\b(slots?|times?|seats?|rooms?|tables?|dates?)\b.{0,40}(taken|conflict|unavailable|not available|not free|no longer available|overlap)
DOUBLE_BOOKING reserved (for|by) (an)?other|(on hold|held) for (an)?other|taken by (an)?other|not available (from|on|between|for (the|these|those|this)) (\w+ )?(date|time|period|slot|\d)|already (has|have) (an?|another) (\w+ )?(booking|meeting|appointment|reservation)
DOUBLE_BOOKING overlap(s|ping)? (with )?.{0,40}(booking|reservation|appointment|meeting|event|shift)|conflict.{0,20}(booking|reservation|appointment|schedule|calendar)
DOUBLE_BOOKING scheduling conflict|time conflict|schedule conflict|(已被|已经被|已有)(人)?(预订|预约|占用|预定)|时间冲突|日程冲突|时段.{0,8}(冲突|占用|已满)
CAPACITY_REACHED (fully|completely) (booked|subscribed)|no (more )?(seats|places|rooms|slots|spots|tickets|availability|vacanc\w+|capacity|tables?)\b|已约满|已订满|满员|名额
CAPACITY_REACHED (up to|at most|maximum of|max(imum)?|no more than) \d+ (guests|people|persons|seats|participants|attendees|players|passengers)
CAPACITY_REACHED (course|class|event|flight|session|queue|waitlist|list|group|team|capacity|house|room|train|workshop).{0,30} (is|was|are) full\b|capacity (reached|exceeded|limit|full)|over ?booked
CAPACITY_REACHED (is|already) at (full )?capacity|已满
DEADLINE_PASSED (outside|past|after|beyond|exceed\w*|missed|over).{0,50}(window|deadline|cut.?off|period|grace|return|cancellation|hours|expiry|due date)
DEADLINE_PASSED (\d+|one|two|three) (hours?|days?|minutes?|weeks?) (before|prior to|after|of) (departure|check.?in|arrival|delivery|the (event|start|appointment|flight))
DEADLINE_PASSED (window|deadline|cut.?off|period|offer|sale|registration|enrol?lment|trial|coupon|voucher|promotion|promo|quote|subscription|contract|membership|licen[cs]e|policy|booking).{0,60}(has |is |have |was |already )?(passed|closed|expired|ended|elapsed|over\b|lapsed)
DEADLINE_PASSED (too late|no longer (possible|eligible|valid|refundable|accepted|cancell?able)|non.?refundable)|超过.{0,40}(期限|时间|期|天|日|截止)|(已)?(截止|逾期|过期|超期|超时效)
DEADLINE_PASSED (voting|auction|poll|sale|offer|promotion|registration|bidding|contest|survey|season|trial|enrol?lment|booking|check.?in|submission|application|campaign) (period )?(has |is |was |have )?(already )?(ended|closed|over|finished|expired|not (yet )?(open|started)|opens|begins|starts)
DEADLINE_PASSED (expired|outdated) (coupon|voucher|offer|quote|promo\w*|code|gift card)|(market|shop|store|branch|office|exchange|restaurant|kitchen) (is )?(currently )?closed|休市|打烊|非(营业|交易)时间
DEADLINE_PASSED (in the past|date (has )?passed|past date)|(已过|早于(今天|当前))
ALREADY_DONE already (been )?(cancel|ship|refund|paid|redeem|used|deliver|clos|process|return|complet|dispatch|confirm|submit|approv|reject|archiv|settl|sent|activ|deactiv|terminat|enrol|register|subscrib|checked|claimed|captured|voided|applied|posted|fulfilled|executed|expired|ended|started|assigned|invoiced|charged|resolved|signed)
ALREADY_DONE (has|have|was|were|is) (already )?(been )?(shipped|refunded|cancell?ed|delivered|dispatched|redeemed|settled|fulfilled|archived|voided|terminated|paid|closed|completed|used)\b.{0,80}(cannot|can't|can not|no longer|not possible|not allowed|too late|only be)
ALREADY_DONE (cannot|can't|can not|could not|unable to|not possible to) (be )?(cancel|refund|modif|chang|edit|updat|return|ship|delet|remov|reopen|amend|reschedul)\w* .{0,60}(ship|deliver|dispatch|paid|clos|complet|cancel|final|lock|process|status|state|draft|approved|settled|once|after)
ALREADY_DONE could not be \w+ed because|(has|with) (a |the )?status (of|:)|(order|payment|invoice|booking|ticket|transfer).{0,40}(is|in) (status|state|stage)?.{0,20}(shipped|paid|closed|completed|cancell?ed|final|locked)
ALREADY_DONE 已(经)?(于.{0,20})?(取消|发货|退款|支付|使用|核销|完成|关闭|签收|出库|处理|提交|审批|领取|签到|打卡|报销|投票|评价|参与|参加|绑定|激活|开通|结算|开票|兑换|撤销|作废|归档|注销|报名|出票)|重复(提交|下单|支付|领取|报名)|不(可|能|得|允许|支持)重复|(无法|不能|不可)(再)?(取消|退款|修改|撤销|退货|改签)
ACCOUNT_BLOCKED (account|user|customer|wallet|profile|member|merchant|supplier|vendor).{0,40}(is |has been |was |currently )?(locked|blocked|suspended|frozen|disabled|deactivated|closed|banned|restricted|on hold|inactive|terminated|delinquent)
ACCOUNT_BLOCKED (账[户号]|用户|客户|会员).{0,40}(冻结|锁定|停用|封禁|禁用|注销|受限|黑名单|状态异常)|credit hold|blacklist|black listed|sanction|黑名单|冻结|风控
BUSINESS_RULE outstanding (balance|invoice|payment|debt|order|amount)s?|\b(unpaid|overdue|arrears)\b|open (invoices|balance|orders)|above the .{0,40}(agents?|users?|you|staff|employees?) (may|can)
CARD_DECLINED 3ds|authenticate (this|the) payment|payment (method |details )?(is )?required|payment not (yet )?received
DEADLINE_PASSED \b(are|is|was|were) (currently )?closed\b|closed (on|during|for|until|today|tomorrow)|too late
APPROVAL_REQUIRED (require|need|await|pending|without|must have|missing)\w*.{0,40}(approv|authori[sz]ation from|sign.?off|human review|manual review|second (person|signature)|four.eyes)|approval (is )?(required|needed|pending|limit|threshold)
APPROVAL_REQUIRED (exceed|over|above)\w*.{0,60}(approval|authority|authori[sz]ed|your limit)|需.{0,12}(审批|批准|授权人|复核|人工审核)|审批(权限|额度|上限)|未(经)?审批
NOT_ELIGIBLE (not|isn't|no longer) valid (for|on|in|at|until|with)\b|not been paid|nothing to (refund|cancel|return|ship|pay|settle)
NOT_ELIGIBLE (your|current|this|the|free|basic) (\w+ )?(plan|subscription|tier|license|package|membership|contract)\b.{0,40}(does not|doesn't|not|only) (include|allow|support|cover|permit|available)|upgrade (to|your)|requires? (a |an )?(premium|pro|paid|enterprise|business|higher) (plan|tier|account|subscription|license)|(prerequisite|eligibility|requirement|precondition)\w*.{0,30}(not (met|satisfied|fulfilled|completed)|missing|unmet)
NOT_ELIGIBLE (not|isn't|ineligible|in) ?(eligible|entitled|qualified|applicable|qualif\w+)|ineligib|does not (qualify|meet)|doesn't (qualify|meet)|(coupon|code|discount|promotion|offer|voucher|rate|tariff|rule|price) (does not|doesn't) apply|do not (meet|qualify)|not applicable|(requirement|condition|criteri)\w*.{0,30}not (met|satisfied|fulfilled)
NOT_ELIGIBLE 不(符合|满足).{0,20}(条件|要求|资格|规则)|(无|没有)资格|不(适用|参与)|不可用|不支持(退款|退货|取消|换货|配送|改签|开票|开具发票|换货|7 ?天)|无法使用
LIMIT_EXCEEDED (exceed\w*|over|above|beyond|more than|greater than|surpass\w*).{0,50}(daily|weekly|monthly|yearly|per.?(day|order|customer|transaction|person|transfer|account|user)|transfer|transaction|withdrawal|spending|spend|purchase|order|credit|booking|refund|discount|expense|budget|card|trade|policy|approved|allowed|permitted|contract).{0,12}(limit|cap|maximum|max|allowance|amount|quota|budget|threshold|rate)
LIMIT_EXCEEDED (daily|weekly|monthly|yearly|per.?(day|order|customer|transaction|person|transfer|account|user|week|month|year|night|booking|household|item|guest|invoice|employee)|transfer|transaction|withdrawal|spending|purchase|order|credit|booking|refund|discount|expense|budget|trade|trading|position|leverage|stay|guest|baggage|weight|single) (amount )?(limit|cap|maximum|allowance|budget|ceiling)
LIMIT_EXCEEDED (are|is) limited to \d|limit of .{1,30} (per|a|each) (day|order|customer|person|week|month|transaction)|at most \d+ (per|nights?|items?|units?|tickets?|guests?|days?|bookings?)|over (the )?budget
LIMIT_EXCEEDED (max(imum)?|no more than|up to) (of )?\d+ (nights?|guests?|tickets?|items?|units?|bookings?|persons?|people|days?)|(超出|超过|大于|高于|已达).{0,30}(限额|上限|额度|限制|限购|预算|最大)|限购|超限|每(日|人|单|天|月).{0,10}(限|最多)
FORBIDDEN_BY_POLICY (not|never|isn't|aren't) (allowed|permitted|possible|available|accepted|supported).{0,60}\b(for|by|in|on|under|with|to) (this|your|the|our|company|that|any|an?)? ?\w{0,15} ?(order|customer|role|polic\w+|tier|plan|region|country|account|product|item|contract|rule|tariff|fare|rate|status|state|destination|address|company)
FORBIDDEN_BY_POLICY (cannot|can't|can not|may not|must not|could not) be (combined|stacked|returned|refunded|exchanged|cancell?ed|booked|shipped|redeemed|transferred|resold|rescheduled|sold|delivered|ordered|purchased|withdrawn|approved|discounted|rented|reversed|waived|backdated)
FORBIDDEN_BY_POLICY \b(you|users?|agents?|employees?|customers?|members?|guests?|buyers?|sellers?|requesters?|minors?|non-?\w+|only \w+( \w+)?) (may|can|must|are|is|cannot|can't|may not)( not| only)?( allowed to| permitted to)? ?(approve|cancel|refund|book|order|transfer|buy|sell|return|rent|withdraw|redeem|change|purchase|reserve|vote|apply|trade|enrol|register|claim)\b
FORBIDDEN_BY_POLICY \b(we|it|store|restaurant|carrier|merchant|supplier|hotel)( currently)? (do|does|can|could|will)( not|n't|not)? ?(not )?(only )?(ship|deliver|accept|offer|serve|sell|seat|host|insure|cover) |not (possible|permitted|allowed) (within|after|before|during|once|until|unless|while)
FORBIDDEN_BY_POLICY (polic(y|ies)|compliance|business rule|regulation|company rule|terms of service|legal|contract|tariff)\b.{0,60}(prohibit|forbid|violat|block|prevent|reject|refus|does(n't| not) allow|disallow|not permitted|not allowed|denied|require)
FORBIDDEN_BY_POLICY (prohibited|forbidden|blocked|rejected|refused|denied|violat\w+|against|disallowed|restricted) (by|due to|under|of|per|because of) .{0,40}(polic|rule|compliance|regulation|contract|terms|risk|legal|sanction|guideline)
FORBIDDEN_BY_POLICY \bpolicy violation|violates? .{0,30}polic|role .{0,60}(may not|cannot|can't|must not|is not allowed|only)|does not (ship|deliver) to|not (deliverable|shippable|served)|cannot (ship|deliver) to|违反.{0,12}(规定|政策|规则|制度)|(规定|政策|规则).{0,8}(不允许|禁止|限制)|不在(配送|服务|营业|销售)
~FORBIDDEN_BY_POLICY not (refundable|returnable|transferable|exchangeable|cancell?able|combinable|stackable)|(refund|refusal|order|booking|request|payment|transfer|application|claim|registration|withdrawal|cancellation|return|purchase) (was |is |has been |been )?(refused|rejected|not (placed|accepted|approved|granted|created|booked|completed|possible|allowed|permitted))
BUSINESS_RULE business (rule|logic|validation|exception|error)|(申请|订单|请求|交易|支付|退款|预订|审核|提现)(已|被){1,2}(拒绝|驳回|取消)|信用(评分|分)|(业务|规则)(校验|异常|错误|限制|拒绝)|rejected exception|(order|booking|payment|refund|inventory|enrol?lment) (rejected|refused|denied)
"""

GENERAL = r"""
LOCKED already (running|in progress|active|open(ed)?|being|scheduled|queued)|(is|are|being) (currently )?(being )?(edited|modified|used|processed|held|checked out) by|in progress|in use by
INVALID_ENUM_VALUE (unknown|invalid|unsupported|unrecognized|not (a )?(valid|known|supported|recognized)).{0,100}\b(valid|allowed|permitted|supported|accepted|possible) (\w+ ){0,3}(are|is|include|values?|options?|names?|choices|types?)\b
CONFLICT eresolve|dependency (tree|conflict)|conflicting (dependenc|peer|version|requirement)|incompatible version|version solving failed
WRONG_TYPE cannot (iterate over|index) |(cannot|can't) be (added|subtracted|multiplied|divided|matched|sliced|compared)|wrong ?(type|kind)|wrongtype|(wrong|incorrect) kind of
NOT_IMPLEMENTED not (yet )?(been )?implemented|unimplemented|notimplemented|未实现|abstract method
INVALID_QUERY group by clause|aggregate function|window function|set-returning|subquery (must|has|returns)|must appear in|unknown top level operator|(unknown|unrecognized|invalid) (\w+ ){0,3}(operator|pipeline stage|stage name|modifier|aggregation|clause|expression)
UNKNOWN_COMMAND missing script|\b(script|target|recipe|goal|lifecycle phase)\b.{0,60}(not found|unknown|missing|does not exist)|no rule to make target|unknown (target|task|goal|lifecycle)
CONFIGURATION_ERROR (unsupported|unknown|no suitable|missing|no) (\w+ )?(database )?driver|driver.{0,40}(not found|not available|could not be (found|loaded))|data source name
IDEMPOTENCY_CONFLICT idempoten(t|cy).{0,80}(key|request|token|conflict|reuse|different|same)|幂等
VERSION_CONFLICT (version|etag|revision|stale|resource version).{0,60}(conflict|mismatch|does not match|changed|outdated)|(was|has been|been) (modified|changed|updated) (by|since|in)|conflicting (update|version)|stale (object|data|element)|已被(他人|其他).{0,6}修改|版本(冲突|不一致)|version conflict
PRECONDITION_FAILED (precondition|conditional (request|check)|condition).{0,30}(fail|not met|not hold|unmet)|if-match|failed precondition
MERGE_CONFLICT merge conflict|conflict \(|fix conflicts|unmerged (files|paths)|non.?fast.?forward|fetch first|cannot be automatically merged|could not apply|合并冲突
UNCOMMITTED_CHANGES local changes.{0,60}(overwritten|would be)|uncommitted changes|untracked working tree files|unstaged changes|working (tree|directory) (is )?(dirty|not clean)
PATCH_FAILED patch (failed|does not apply|apply|rejected)|corrupt patch|hunk.{0,20}(failed|rejected)
NOT_A_GIT_REPOSITORY not (a|in a) (git|hg|svn) (repository|repo|working)|not a repository
MISSING_IDENTITY (author|committer) identity|empty ident name|please tell me who you are
REF_NOT_FOUND (unknown|bad|invalid|ambiguous) (revision|ref|commit|object|argument '.{0,60} unknown revision)|pathspec|couldn't find remote ref|not a valid (object|ref)|(branch|tag|revision|commit|ref).{0,50}(not found|does not exist|unknown)|refspec
TESTS_FAILED \b\d+ (tests?|specs?|examples?|suites?) (failed|failing)|\d+ failed, \d+ passed|\btests? fail(ed|ing|ure)|failures: [1-9]|assertion ?error \[|there were failing tests
MISSING_DEPENDENCY (no module named|cannot find (module|package)|module ?not ?found|could not (resolve|find) (module|package|gem|dependency)|can't locate .{1,80} in @inc|cannot load such file|package .{1,60} (is )?not (installed|found)|no package called)
MISSING_DEPENDENCY (missing|unmet|required) (optional )?(dependenc(y|ies)|package|module|library)|not installed|install (it|the|this) .{0,30}(package|module|library)|(cannot|could not) import|import ?error|缺少(依赖|模块)|shared (object|librar)|failed to (load|import) (module|library|plugin|driver)
MISSING_DEPENDENCY could not find a version that satisfies|no matching distribution|unresolved import|modulenotfound|no rust crate|could not compile.{0,40}dependenc
COMMAND_NOT_FOUND command not found|not recognized as (an internal|the name)|(executable|binary|program|interpreter)( file)? (not found|was not found|doesn't exist)|\b(ba|z|da|k|fi)?sh: .{0,80}not found|executable file not found|command.{0,30}not (found|installed)|未找到命令|no such (command|executable)
NO_INPUT eof when reading|end of file when reading|stdin is not a (tty|terminal)|not a tty|inappropriate ioctl|requires? (a )?(tty|interactive|terminal)|no tty present|interactive (mode|input|login)
TOKEN_EXPIRED (token|session|credential|signature|jwt|access key|登录|令牌|会话).{0,30}(has |is |have )?(expired|过期|失效)|expired (token|session|signature|credential)|(登录|令牌|会话)(已|状态)?(过期|失效)
MISSING_CREDENTIALS (no|missing|unable to locate|could not find|not find|cannot find|without|empty|provide|supply|specify|requires?|set) (\w+ ){0,3}(credentials?|api.?key|access.?key|password|auth(entication)? (token|header)|authorization header|access token)|(credentials?|api.?key|password|authorization header) (is |was |are |were )?(not (found|set|configured|provided|supplied|present)|missing|required|must be (set|provided))|no password supplied|default credentials|缺少(凭证|密钥|令牌|token)
INVALID_TOKEN (invalid|bad|malformed|wrong|incorrect|not valid) (jwt|(access|auth\w*|api|bearer|csrf|refresh|id|session|security|personal) ?tokens?|signature|csrf)|(^|[^a-z] )invalid token\b|(jwt|signature|\b(access|auth\w*|api|bearer|csrf|refresh|session) token).{0,30}(verification|invalid|malformed|mismatch|not (match|valid))|not enough segments|unauthorized client|invalid grant
AUTHENTICATION_FAILED (authentication|auth|login|logon|sign.?in|credentials?|password|密码|认证|登录|身份验证|鉴权).{0,60}(fail|error|invalid|incorrect|wrong|denied|required|unsuccessful|错误|失败|不正确|未通过)|(invalid|wrong|incorrect|bad|failed).{0,20}(credentials?|passwords?|username|login|api.?keys?|access.?key|authentication|auth|client secret|client)\b|invalid (client|grant)\b|(not|n't|unable to|failed to) authenticat|(username|password|credentials?|login)\b.{0,40}(not accepted|rejected|mismatch)|not authed|token revoked|missing scope|invalid auth|access denied for user|noauth|wrongpass|not authenticated|permission denied \(publickey|(already|must be|not|must) authenticat|unauthenticated|publickey
UNAUTHORIZED active account|auth login|\blog in (again|first|to)|unauthori[sz]ed|not authori[sz]ed|no auth|未授权|未登录|请先登录|not logged in|login required|must (be logged|log|sign) in
UNKNOWN_HOST_KEY host key|known hosts|remote host identification has changed
PERMISSION_DENIED permission (denied|error)|permissions? denied|access (is |was )?denied|eacces|eperm|operation not permitted|insufficient (privilege|permission|scope|access|right|role|authentication scope)|\b(no|not have|lacks?|lacking|missing|without|requires?|required|needs?)\b.{0,30}\b(permissions?|privileges?|access|rights|grant)\b|(missing|required|insufficient) scope|must be (owner|superuser)|not have (sufficient|the required|enough) (permission|privilege|access|right|role)|accessdenied|not permitted to|privilege|权限|无权|没有权限|noperm|command denied|is not allowed to
FORBIDDEN forbidden|禁止(访问|操作)|not allowed to (access|perform|use|call)|unauthori[sz]ed operation
GATEWAY_TIMEOUT gateway time.?out
COMMAND_TIMEOUT \b(command|process|execution|script|job|program|cell|run|task|build|kernel)\b.{0,60}(timed? ?out|timeout|time limit|too long)|killed after|exit code 124|time limit exceeded|执行超时|运行超时
DEADLINE_EXCEEDED deadline.?exceeded|deadline (has )?(passed|elapsed|expired)|context deadline
TIMEOUT (gave|giving) up waiting|waited (too long|for .{1,30} without)|timed?.?out\b|timeouts?\b|timeout ?(error|exception|expired)|time.?out (error|exceeded|expired|waiting|while|after|reading)|(did not|didn't|no) (answer|respond|response|reply)\w* (received )?(within|in|after|for|from)|etimedout|esockettimedout|超时|no response (from|within)|took too long|time limit
CANCELLED cancell?ed error|(operation|request|task|job|call|future|execution|run|context|query|stream) (was |has been |got |is )?(cancell?ed|canceled|aborted|interrupted|stopped)|\bcancelled(error)?\b|abort ?error|keyboard interrupt|user aborted|操作(已)?(取消|中断)|任务已取消
SERVICE_OVERLOADED overloaded|over capacity|at capacity|server (is )?(too )?busy|too busy|system busy|(系统|服务器?|服务|网络)(繁忙|过载)|no capacity|insufficient capacity|high (demand|load)|backend (fetch )?failed|no healthy upstream|排队
SERVICE_UNAVAILABLE (servers?|services?|nodes?|brokers?|backends?) (seem|appear)s? to be (down|unavailable|offline)|(service|server|system|host|backend|endpoint|api|resource|broker|site|node|instance|cluster|engine|replica|shard|provider|gateway|upstream|platform|feature)s? (is |are |was |currently |temporarily |be )*(un|not )available|technical (difficulties|problems|issues)|temporarily (un|not )available|service.?unavailable|under maintenance|maintenance|(is |are |currently |temporarily )(down|offline)\b|try again later|(服务|系统|接口).{0,6}(不可用|维护|异常|中断|停机)|暂不可用|暂时不可用|no (servers?|brokers?|nodes?|hosts?|workers?|replicas?) (are |is )?available|brokers? (are|is) down|all (brokers|hosts|nodes|replicas|servers) (are |were )?(down|un|failed)|no living connections|cluster ?down|loading the dataset|not (yet )?ready|稍后(再|重)试
BAD_GATEWAY bad.?gateway|invalid response from (the )?upstream|upstream (connect|prematurely|server|request|service).{0,30}(error|fail|closed|reset)?
CONNECTION_FAILED (could not|couldn't|can't|cannot|unable to|failed to|failure to|error|problem|not|not able to|impossible to|trouble) (to )?(connect|connecting|establish|reach|open a connection|communicat\w+|contact|access the server)|connection (error|failed|failure|attempt|problem|issue|could not|exception|not established|to .{1,80} failed)|connect(ion)? ?(error|failed|failure)|(网络|连接|通信|通讯).{0,6}(失败|异常|错误|中断|故障|不通)|无法(连接|访问|联系)|network ?(error|failure|problem|issue|is down)|not (currently |yet )?connected|no connection (to|available|could)|fetch failed|transport ?error|communication (error|failure|link|problem)|communicating with|unable to access|server selection|request (failed|error) to reach|api ?connection ?error|连接(数据库|服务器)?失败|disconnected
RETRIES_EXHAUSTED (max\w*|all|exceeded|too many|reached).{0,40}(retries|retry|attempts)|retry (error|limit|exhausted)|retries (exceeded|exhausted)|attempts? (failed|exhausted|exceeded)|gave up after|giving up
IS_A_DIRECTORY is a directory|eisdir|(是|为)(一个)?目录
NOT_A_DIRECTORY not a directory|enotdir|不是目录
DIRECTORY_NOT_EMPTY directory not empty|enotempty|目录非空
ALREADY_EXISTS (member|user|record|item|object|entity|email|name|key) exists\b|already a \w+ (member|user)|already exists?|eexist|file exists|exists already|already (present|defined|registered|in use|existing)|already have|(已|已经)存在|name.{0,40}(taken|in use)|(name|id).{0,40}(already|still) in use|duplicate name|already a (member|file)|conflict: .{0,40}exist|duplicate\w*
UNKNOWN_RECIPIENT (recipient|mailbox|user|address|chat|channel|invitee).{0,60}(rejected|unknown|not found|does not exist|unavailable|not exist|invalid chat)|user unknown|no such (user|mailbox|channel)|unknown (user|recipient|mailbox|chat)|channel not found|chat not found|invalid recipient|收件人.{0,10}(不存在|无效)
SHEET_NOT_FOUND (work)?sheet.{0,60}(not found|does not exist|not exist)|no sheet named|工作表.{0,20}(不存在|未找到)
UNKNOWN_TIMEZONE (time ?zone|tz|zone ?info).{0,60}(not found|unknown|invalid|unrecognized|no time zone|does not exist)|(no|unknown|invalid) time ?zone|can not find timezone|时区.{0,15}(无效|不存在|错误)
DIRECTORY_NOT_FOUND (directory|folder).{0,80}(not found|does not exist|not exist|no such)|(can't cd to|cannot access directory|no such folder)|目录.{0,30}(不存在|未找到)
FILE_NOT_FOUND no such file|file.?not.?found|enoent|\bfile\b.{0,110}(not found|does not exist|doesn't exist|missing|not exist|cannot be found)|(cannot|could not|can't|unable to|failed to) (find|open|locate|access|stat) .{0,30}\bfile|(path|input).{0,80}(not found|does not exist|not exist)|cannot find (the )?(path|file)|文件.{0,30}(不存在|未找到|找不到)|找不到文件|路径.{0,30}(不存在)|nosuchfile
CLASS_NOT_FOUND class.{0,60}not found|classnotfound|noclassdef|could not find or load main class|unknown class
INVALID_ENCODING unknown encoding
NO_ROUTE no (path|route|connection|flights?|way|itinerary) (between|from|to|found)|unreachable from|没有(可用)?(路线|路径|航线)
GONE \bgone\b|permanently (deleted|removed)|no longer (exists|available)|has been (deleted|removed)|已(被)?删除
MISSING_ARGUMENT missing \d+ required|missing (a )?(required|mandatory|positional)|(required|mandatory) .{0,30}(argument|parameter|param|property|field|option|key|input|value)s?.{0,50}(missing|not (provided|supplied|present|given|set|specified|found)|absent)?
MISSING_ARGUMENT (argument|parameter|param|property|field|option|key|input|value|column)s? .{0,60}(is |are |was |were )?(required|missing|mandatory)|field required|(must|should|have to) (be )?(provide|supplied|specif|set|given|present|pass|have required|contain)|is a required|missing required|is required|(必填|必须|必要)(的)?(参数|字段|项|提供|填写|传)|缺少.{0,12}(参数|字段|必填)|不能为空|未(提供|填写|指定|传)
MISSING_ARGUMENT received (undefined|null|none|nothing)|please (provide|specify|enter|supply|include|select|give|choose)|请(提供|填写|输入|指定|选择)
MISSING_ARGUMENT requires? (at least )?(one|an?|the|\d+|exactly|either).{0,20}(argument|parameter|value|option|field|input|operand)|missing (argument|parameter|param|operand|field|value|key|property|data)|missing '.{1,40}'|no value (given|provided|specified) for|expected .{0,20}arguments?,? (but )?(got|received|found)|takes? .{0,30}arguments? but|not enough arguments
UNKNOWN_ARGUMENT unexpected (keyword )?(argument|parameter|field|property|key|input|named)|(unknown|unrecognized|unsupported|extra|additional|unexpected|undefined) (keyword )?(argument|parameter|param|propert(y|ies)|key|keyword|attribute)s?\b|extra (inputs?|fields?|keys?) |additional properties|not permitted$|(not|never) (allowed|permitted|expected) .{0,20}(propert|field|key|argument|parameter)|was unexpected|(未知|多余|不支持)的?(参数)|unevaluated properties|unknown keys
UNKNOWN_OPTION (no such|unknown|unrecognized|illegal|unexpected|ambiguous) (option|flag|switch|argument)|(option|flag|switch).{0,40}(not (recognized|defined|found)|unknown|unrecognized)|unrecognized arguments|flag provided but not defined|invalid option --|wasn't expected|未知选项|无法识别的选项
UNKNOWN_COMMAND (unknown|unrecognized|invalid|undefined|no such|not a valid|unsupported) (\w+ )?(command|subcommand|operation|action|method|verb|api|endpoint|procedure|event|query type|mutation|rpc|magic)\b|(command|method|subcommand|magic|procedure)\b[^:;,.]{0,40}(not (found|supported|recognized)|does not exist|unknown)|is not a git command|未知(的)?(命令|操作|方法|接口)|cannot query field
UNKNOWN_UNIT \bcurrency\b.{0,40}(does not exist|not found|not supported|not available)|\b(unit|currency|measure)\b.{0,40}(not defined|unknown|not (recognized|supported)|undefined|invalid)|(unknown|undefined|invalid|unsupported) (\w+ )?(unit|currency)\b|(单位|币种).{0,10}(不支持|无效|未知)|unit registry
INVALID_UNITS cannot convert from|dimensionality|incompatible units|unit.{0,20}mismatch
UNKNOWN_FIELD (find|no|not have) (a |an |the |any )?(\w+ )?(property|field|attribute|member|variable|dimension|coordinate|parameter) (named|called|with (the )?name|')|none of .{0,80} (have|has|contain|match)\b|(have|has) no (property|attribute|field|key|member)|(not|cannot) resolve (keyword|attribute|property|name|symbol)|(no such|unknown|unrecognized|invalid|undefined|nonexistent|not a) (field|attribute|property|member|element|column|metric|dimension|label|tag)\b|(field|attribute|property|metric|dimension|label)\b.{0,60}(does not exist|not found|unknown|not exist|not (defined|recognized|a (valid|known))|doesn't exist)|unknown field|is not a (property|field) (that|of)|no mapping found|no field|(字段|属性|指标).{0,20}(不存在|未知|无效)
"""

FORM = r"""
INVALID_EMAIL (e-?mail|mail address|recipient address).{0,60}(not valid|invalid|malformed|must|missing|not a valid|incorrect|wrong)|(invalid|malformed|bad|not a valid|valid) (\w+ )?(e-?mail|mail address)|@-sign|(邮箱|邮件地址).{0,12}(无效|错误|不正确|格式)|domain part|(mailbox|address) syntax
INVALID_PHONE_NUMBER (phone|mobile|telephone).{0,30}(not valid|invalid|not a valid|malformed|incorrect|too short|too long)|(invalid|not a valid|malformed) (\w+ |'\w+' ){0,2}(phone|mobile|telephone)|did not seem to be a phone|(手机号|电话).{0,10}(无效|错误|不正确|格式)
INVALID_URL no connection adapters|(invalid|malformed|unsupported|unknown|bad|missing|illegal|no|empty) (\w+ )?(url|uri|scheme|schema|protocol)\b|url.{0,30}(invalid|malformed|missing|not valid|can't contain|scheme|protocol)|no scheme|no connection adapters|(scheme|protocol).{0,40}(not supported|unsupported|missing|invalid|not known|unknown|not recognized)|(网址|链接|url).{0,10}(无效|错误|格式)|no host (supplied|specified|given)|only absolute urls
INVALID_REGEX (regex|regular expression|regexp|pattern).{0,60}(invalid|error|unterminated|unbalanced|unmatched|bad|parse|missing)|(invalid|bad|malformed) (regex|regular expression|regexp|perl operator|preceding)|unterminated (character set|subpattern|group)|missing \), unterminated|nothing to repeat|unbalanced parenthesis|multiple repeat|unmatched (\(|\[|parenthes)|bad escape|bad character range|look-behind|repetition operator|unclosed (group|character class)|正则
INVALID_JSON (encoded|parsed|decoded|read|interpreted) as (a )?(valid )?json|(invalid|malformed|bad|broken|not valid|not a valid|unparse?able|parse|parsing|decode|decoding|deserializ\w+|load|illegal) (\w+ ){0,4}json|json.{0,40}(invalid|malformed|parse|decode|syntax|unexpected|not valid|error|at position|truncated|fail)|expecting (value|property name|',' delimiter|':' delimiter)|unterminated string starting|unexpected (token|end of (json|input)|non-whitespace|character .{0,12}json)|invalid control character at|extra data: line|invalid \\\\?escape|eof while parsing|expected value at line|trailing (characters|comma)|expected .{1,40} in json
INVALID_YAML yaml|mapping values are not allowed|(could not find|did not find) expected|found character .{1,20} that cannot start|while (scanning|parsing) a|block (mapping|sequence|collection)
INVALID_TOML toml|(expected|invalid) .{0,30}(after a key|in key/value|initial character for)
INVALID_XML xml|mismatched tag|not well-formed|no element found|premature end of data|unclosed (tag|token|element)|opening and ending tag|junk after document|start tag expected|undefined entity|(html|markup) (parse|syntax)
INVALID_CSV csv|(expected|saw|found) (\w+ )?\d+ (fields|columns)|more fields than|ragged|delimiter expected|expected after '"'|tokenizing data|number of (fields|columns)|record on line \d+|eof inside string
INVALID_TEMPLATE (template|jinja|mustache|handlebars|liquid|nunjucks|twig|erb|mako).{0,40}(error|syntax|invalid|fail|not found|undefined)|(unexpected|unknown|expected) (\w+ )?(tag|end of template|end of print|token 'end)|end of print statement|模板.{0,6}(错误|无效)
INVALID_DATE \b(date|time|datetime|timestamp|duration|interval|isoformat|iso.?8601|iso format|day|month|year|hour|minute|second|cron).{0,80}(invalid|not valid|out of range|malformed|must be in|unknown string format|does not match format|not match|unparse?able|could not be parsed|cannot be parsed|not a valid|could not parse|unconverted|expected|not recognized|wrong format|incorrect|bad)|(invalid|unknown|bad|malformed|incorrect|unparse?able|not a valid|could not parse|cannot parse|can't parse|unable to parse|failed to parse|unrecognized) .{0,30}(date|time|datetime|timestamp|duration|isoformat|string format|month|weekday|cron|frequency)|does not match format|unconverted data|day is out of range|(日期|时间).{0,20}(无效|格式|错误|不正确|不合法)|month must be in|year .{0,30}out of range|hour must be|minute must be|second must be
INVALID_NUMBER (invalid|could not|cannot|can't|not a|unable to|failed to|bad|malformed|illegal) .{0,40}(number|numeric|integer|int\b|float|decimal|double|bigint|\breal\b)|invalid literal for|could not convert string|number ?format|conversion ?syntax|not a (number|numeric)|parse ?int|(数字|金额|数值|数量).{0,10}(无效|格式|错误|不正确|不合法)|invalid operation.{0,20}decimal|invalid digit|for input string|input syntax for type (integer|numeric|bigint|double|real|smallint|money)
UNSUPPORTED_FORMAT (unsupported|unknown|unrecognized|invalid|not supported|no) (\w+ ){0,3}(format|file type|filetype|extension|media type|content.?type|mime|codec|compression|engine|version|scheme|image mode|file format)|(format|file type|extension|media type|content.?type|codec|encoding|engine).{0,60}(not supported|unsupported|not (recognized|available)|unknown|cannot be determined)|(does not|doesn't) support .{0,40}(format|file|type)|不支持的?(文件|格式|类型|编码)|is not supported|cannot identify image
INVALID_ENCODING (codec|utf.?8|unicode|encoding|decode|encode|charset|ascii|byte).{0,60}(can't|cannot|invalid|error|unknown|illegal|fail|not (supported|valid)|unmappable)|unknown encoding|invalid (utf|byte|continuation|start byte|character)|unicode (decode|encode) error|unsupported encoding|illegal multibyte|编码(错误|无效)|stream did not contain valid
INVALID_FILE (not a|bad|corrupt|corrupted|damaged|truncated|invalid|malformed|broken|unexpected|could not read|unreadable|unsupported) (\w+ ){0,3}(file|zip|gzip|gzipped|archive|image|pdf|database|parquet|header|magic|workbook|excel|stream|frame|signature|checksum|crc|data error|docx|tar|pickle|bytes|bitmap|document)|(file|zip|gzip|archive|image|pdf|parquet|header|workbook|excel|checksum|crc|frame).{0,50}(corrupt|damaged|truncated|invalid|malformed|not valid|mismatch|unreadable|is encrypted|cannot be (read|opened)|not a)|(corrupt|encrypted|magic (number|bytes))|file is not|from frame header|unexpected end of (file|archive|stream|data)|文件(损坏|格式错误|无法解析)|decompress|not (an? )?(valid )?(zip|gzip|pdf|excel|image|parquet)
SHAPE_MISMATCH (shape|dimension|length|size|broadcast|axis|axes|rank|arrays?|columns|matri(x|ces)|tensor).{0,80}(mismatch|not (match|aligned|broadcast|equal|agree)|must (match|be the same|be equal|have the same|agree)|must be of the same|do(es)? not (match|agree)|differ|inconsistent|incompatible|could not be broadcast)|(mismatch|inconsistent|incompatible|unequal|different) .{0,40}(shape|dimension|length|size|numbers of samples|column)|not aligned|same length|could not be broadcast|cannot reshape|core dimension|mat1 and mat2
NUMERICAL_ERROR singular (matrix|value)|(did|does|not) (not )?converge|failed to converge|not positive definite|math domain|domain error|numerical result out of range|overflow ?error|arithmetic (error|overflow)|underflow|ill.?conditioned|not invertible|infs? or nans?|contains (nan|inf)|nan values|input contains|infeasible|unbounded
DIVISION_BY_ZERO division.{0,12}by zero|divi(de|sion) by 0|divided? by zero|zero division|除数(不能)?为(零|0)|除以零|modulo by zero
INDEX_OUT_OF_RANGE index.{0,40}(out of (range|bounds)|too large|exceed|越界)|out of bounds|list index|subscript out of|slice bounds|索引越界|下标越界
INDEX_OUT_OF_RANGE range ?error \(index\)|inclusive range
VALUE_OUT_OF_RANGE (out of|outside|not in|beyond|exceed\w*).{0,20}(range|bounds|limit|the allowed|maximum)|(must|should|has to|needs? to|cannot|can't|may not|must not|ought to) (be|have|exceed|contain) ?(at least|at most|less|greater|more|between|positive|non.?negative|negative|smaller|larger|bigger|in the range|in \[|>|<|≥|≤|no more|longer|shorter|fewer|under|over|above|below|within|zero|empty)|(greater|less|smaller|larger|bigger|lower|higher|more|fewer) (than|or equal)|(too|is) (long|short|large|small|big|high|low|many|few|great)\b|(maximum|minimum|max|min) (of|is|length|value|size|allowed|items|number)|(numeric|integer|arithmetic|field|value|number|data|string data|bigint|smallint).{0,20}(overflow|too long|right truncation|out of range)|(必须|应|需|不能|不得|不可).{0,8}(晚于|早于|少于|多于|低于|高于|等于|大于|小于|介于|不超过|至少|最多|超过|在.{1,20}之间)|超出(范围|长度)|过长|过短|过大|length (must|should|is)|should have at (least|most)|non-empty|at (least|most) \d
INVALID_ENUM_VALUE (not|isn't|none) (a |an )?(one of|among|in|valid) ?(the )?(allowed|permitted|valid|supported|accepted|known|enum|enumeration|list|choices|options|member|\[|\{|\(|')|(must|should|has to|can only|needs to|expected|expecting|got) (be |to be )?(one of|either|any of|equal to one)|(invalid|unknown|unexpected|unsupported|unrecognized|illegal|bad) (enum\w*|option|choice|status|mode|level|category|priority|region|locale|language|severity|direction|strategy|algorithm|method name|carrier|size|colou?r|country|sort|order by|interval|frequency|freq|period)\b|valid (values|options|choices|types|statuses|values are)|(allowed|valid|permitted|accepted|supported|possible|available|expected) (values?|options?|choices?|types?)\b|choose (one )?(from|of|between)|is not a valid \w|input should be '|invalid (input value for enum|selection)|not a valid choice|enum|(只能|必须)(是|为).{0,40}(之一|或)|取值(范围|只能)|expected one of|not in (the )?(list|set|allowed)|does not have a member|no enum constant
INVALID_TYPE cast to \w+( \w+)? failed|trying to (merge|join|concat|compare|add)|while structuring|(wrong|invalid|incorrect|unexpected|unsupported|incompatible|bad|mismatched|inconsistent) (\w+ ){0,2}types?\b|type.{0,20}(mismatch|error|is incorrect|not (supported|match|valid))|(must|should|expected|expects?|has to|needs? to|required|requires|want\w*|got|received|found|be|not) (to )?(be )?(an? |of |of type |instance of |the |type )*(valid )?(integer|int|string|str|number|numeric|boolean|bool|list|array|object|dict|dictionary|float|date|datetime|uuid|bytes|map|mapping|sequence|tuple|null|none|real number|character|callable|iterable)\b|not of type|is not (a|an) (\w+ )?(type|number|string|integer|object|array|list|instance)|(cannot|can't|could not|unable to|failed to) (convert|cast|coerce|parse|deserialize|unmarshal|decode|assign)|input (should|must) be|not assignable|cannot be (cast|converted|coerced|interpreted)|(类型|格式).{0,10}(错误|不正确|不匹配|不符|无效)|datatype mismatch|invalid input syntax for
INVALID_FORMAT (errors?|failed|failure|unable|could not|couldn't|cannot|can't|problem) (to |while |in |when )?(pars|decod|deserializ|unmarshal|unpack|interpret|tokeniz)\w+|(could not|cannot|can't) be (parsed|decoded|interpreted|deserialized|tokenized)|not in (a|the) (correct|expected|valid|right|proper) format|(does not|doesn't) (appear|look|seem) (to be|like)|non-?(hexadecimal|numeric|ascii|alphanumeric|integer|decimal|base64)|no section headers|parsing errors|embedded null|null (byte|character)|(does not|doesn't|must|should|not|failed to|didn't|did not) (match|conform|comply|follow).{0,40}(pattern|format|regex|schema|expression|'|\^|/)|(invalid|wrong|bad|incorrect|malformed|unexpected|illegal) (\w+ ){0,2}(format|syntax|form|pattern|characters?|character)|(format|syntax).{0,20}(is |was )?(invalid|incorrect|wrong|error|not valid)|malformed|ill.?formed|badly formed|(string|value) did not match|not (valid )?(base64|hex|uuid)|invalid (uuid|guid|iban|bic|isbn|ip|ipv4|ipv6|mac|hex\w*|base64|slug|cidr|checksum|country code|postal|zip|id\b|identifier|object ?id|object id|arn|hash)|格式(不|错|无)|expected length
SYNTAX_ERROR unterminated|syntax ?error|invalid syntax|parse ?error|parser error|unexpected (eof|end of file|indent|token|symbol|character|identifier|keyword|newline|'|`|\")|unterminated (string|quoted|f-string|triple)|was never closed|missing separator|expected ('|an? (indented|expression)|;|\)|\]|\}|`)|unmatched '|unclosed|indentation ?error|语法错误|invalid expression|unbalanced|compilation error|cannot parse|could not parse|couldn't parse|failed to parse|unable to parse|解析(失败|错误)|unexpected (input|end)|invalid configuration|bareword|mismatched input|no viable alternative
COMPILE_ERROR cannot find (symbol|value|type|name|module)|undeclared|undefined (reference|symbol|identifier|variable)|could not compile|compilation (failed|terminated|error|aborted)|compile ?(error|failed)|(use of )?unresolved (name|symbol|reference|external)|requires explicit package name|not declared in this scope|error\[e\d{4}\]|编译(失败|错误)|implicit declaration
NAME_ERROR variable not in scope|cannot find .{1,60} in (this )?scope|undefvarerror|name '.{1,60}' is not defined|is not defined|name ?error|reference ?error|undefined (local )?variable|undefined: |unbound variable|unknown (variable|symbol|name|identifier)|undefined method|no method|未定义
"""

LAST = r"""
ASSERTION_FAILED assert(ion)?\b.{0,60}(fail|error|violat)|assertion ?error|断言失败|invariant (violation|failed)
NOT_IMPLEMENTED not (yet )?(been )?implemented|unimplemented|not supported (yet|by this|on this)|notimplemented|unsupported operation|未实现|(尚|暂)不支持|not (yet )?supported
CONFIGURATION_ERROR (missing|invalid|malformed|bad|unexpected|unknown) .{0,160}connection (info )?(string|uri|url)|connection info|(configuration|config|settings?|environment variable|env(ironment)? var|misconfigur\w+|improperly configured|setup|dsn|connection (string|info)|data source|driver).{0,60}(error|invalid|missing|not (set|found|configured|specified|defined|loaded)|incorrect|wrong|unsupported|unknown|fail|is required|must be|no default)|improperly ?configured|misconfigur|(missing|invalid|unsupported|unknown|no|could not load|can't load|not find) (\w+ ){0,2}(configuration|config|setting|environment variable|driver|dsn|plugin|backend|dialect)|配置(错误|缺失|不正确)|未配置
KEY_NOT_FOUND no such key|key.{0,60}(not found|does not exist)
UNKNOWN_FIELD key ?error
CONFLICT conflict|冲突|(invalid|illegal|wrong|incorrect|unexpected|bad) (object |resource |order |entity )?(state|status|transition)|(in|has) (an? )?(invalid|wrong|incompatible|incorrect) state|cannot transition|invalid state|busy
NOT_FOUND \bno (\w+ ){1,3}(…|[a-z]{1,5}-?\d+\b)|could not be (located|found|retrieved)|no rows in result|(not|never|n't) (been )?(registered|known|declared|catalogued|listed|recognized|recognised)\b|\bno (section|option|item|entry|element|node|object|product|customer|user|order|account|record|row|member|device|host|process|job|task|ticket|document|page|image|container|pod|deployment|mapping|route|price|rate|stock)s? ?(named|called|with|for|:|'|\"|\(|#|id\b)|not.?found|does not exist|doesn't exist|do not exist|did not exist|no such\b|(cannot|can't|could not|couldn't|unable to|failed to|didn't|did not) (find|locate|be found|retrieve|resolve|look up)|(no|zero) (\w+ ){0,4}(found|exists?|matched|matches|named|called|with (that |this |the |an? )?(id|name|key|number|sku|code))|unknown (article|branch|store|supplier|vendor|employee|driver|vehicle|course|student|patient|guest|brand|shop|merchant|beneficiary|contact|invoice|booking|reservation|ticket|id|key|order|customer|product|item|sku|user|account|resource|entity|object|host|service|task|job|topic|queue|bucket|index|region|city|country|airport|station|symbol|ticker|project|repo\w*|model|name|type|event|reference|node|group|file|number|element|location|address|path|channel|room|warehouse)|nonexist|non-exist|missing (object|resource|entity|record|row)|not (part of|registered|known|listed|present)\b|(不存在|未找到|找不到|没有找到|查无|无此|未查询到|无法找到)|no longer exist|is not in|there is no|resource missing|does not have (an?|any|the)|no (data|rates?|prices?|quotes?|info\w*|records?|entr(y|ies)|results?|content) (available|for)|isn't (known|there)|invalid (order|customer|user|account|product|sku|item|tracking)( id| number)?
INVALID_SCHEMA (invalid|bad|unresolvable|unsupported) (\w+ )?(schema|definition|ref\b)
UNSUPPORTED_FORMAT unsupported
UPSTREAM_ERROR internal (server|service|api) ?(error|failure|exception)|server ?(side )?(error|failure|exception|fault)|backend ?(error|failure)|upstream ?(error|failure)|service (error|exception|failure)|unexpected (server|api|upstream|response) ?(error|response|status)?|api ?error|api (exception|failure)|服务器?(内部)?(错误|异常|故障)|error occurred (on|at|in) the (server|service|backend|remote)
UNKNOWN_ERROR (unknown|unexpected|internal|unhandled|general|generic|系统|内部|未知) ?(system |内部)?(error|exception|failure|fault|错误|异常|故障)
UNKNOWN_COMMAND (unknown|unrecognized|unrecognised|undefined)\b
VALIDATION_FAILED validation.{0,30}(error|fail)|(failed|invalid|error).{0,20}validat|(校验|验证)(失败|未通过|不通过|错误)|(参数|数据|输入|请求)(有误|错误|无效|不正确|不合法|异常|非法)|invalid (argument|parameter|param|input|request|data|payload|body|field)s?\b|(argument|parameter|param|input|request|value|field|data|body|id|name)s?.{0,60}(is |are |was |were )?(invalid|not valid|incorrect|not acceptable|unacceptable|malformed|illegal)|bad (request|input|argument|parameter|value|data)|illegal ?(argument|state|value)|请求参数|not (a )?valid\b|unprocessable|constraint|非法(参数|值|输入)|不合法
USAGE_ERROR \beusage\b|\busage: \S|usage ?error|try .{1,60} --help|wrong usage|can only .{0,60} (with|from|in) an? existing
INVALID_VALUE empty (range|sequence|iterable|list|set|array|dataset|input|string|value|body|query|file)\b|same file|odd-length|host bits|value ?error|invalid\b|illegal\b|incorrect\b|无效|(must|should) (not )?(be|have|contain|start|end|match|equal|include|specify|only)|cannot be|can't be|not allowed|not permitted|expected .{1,80}(but |, ?)(got|found|received|was|saw)|expected:? |unexpected\b|has to be|不允许|only (works?|supports?|accepts?|allows?|takes?|handles?)\b|(too|not) (long|short|many|few|large|small)\b
RESOURCE_EXHAUSTED insufficient (\w+ )?capacity|(sufficient|enough) .{0,40}capacity|resource.?exhausted|resources? (exhausted|limit|exceeded|temporarily unavailable)|limit (exceeded|reached)|exceed\w* .{0,40}limit|too many|资源(不足|耗尽)
COMMAND_FAILED (command|process|script|step|build|job|task|program) (execution )?(failed|exited|returned|terminated)|non.?zero (exit|status|return)|exit (code|status) [1-9]|returned (error|exit)
~UNKNOWN_ERROR \b(error|failed|failure|fail|exception|fatal|aborted|crashed|unable|cannot|can't|could not|couldn't|refused|rejected|denied)\b|(出错|失败|错误|异常|无法|不能|未能|不可)
"""


@dataclass(frozen=True, slots=True)
class Rule:
    code: str
    weak: bool


class Rules:
    """An ordered list of patterns.

    Matched in groups: one automaton for all would remember too much, and most texts are decided by an early group.
    """

    _GROUP = 10

    def __init__(self, table: str) -> None:
        rows = [line.split(" ", 1) for line in table.strip().splitlines()]
        self._rules = [Rule(code.lstrip("~"), code.startswith("~")) for code, _ in rows]
        self._groups = [_automaton(rows[at : at + self._GROUP]) for at in range(0, len(rows), self._GROUP)]

    def found(self, text: str) -> Iterator[Rule]:
        """Every rule that fits, the most telling first."""
        for number, group in enumerate(self._groups):
            for index in sorted(group.Match(text) or ()):
                yield self._rules[number * self._GROUP + index]

    def first(self, text: str) -> Rule | None:
        return next(self.found(text), None)


def _automaton(rows: list[list[str]]) -> re2.Set:
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = 4 << 20
    options.log_errors = False
    automaton = re2.Set.SearchSet(options)
    for _, pattern in rows:
        automaton.Add(pattern)
    automaton.Compile()
    return automaton


specific = Rules(SPECIFIC)
business = Rules(BUSINESS)
general = Rules(GENERAL + FORM.lstrip("\n") + LAST.lstrip("\n"))

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_URL = re.compile(r"\b[a-z][a-z0-9+]{1,15}://[^\s'\"<>]{1,2000}(?<![.,:;)'\"])")
_LIMIT = 3000


def spoken(text: str) -> str:
    """`text` as words: CamelCase and snake_case come apart, URLs go. Head and tail of a long one."""
    text = _URL.sub(" ", text) if "://" in text else text
    if len(text) > _LIMIT:
        text = text[: _LIMIT // 2] + "\n" + text[-_LIMIT // 2 :]
    return _HUMP.sub(" ", text).replace("_", " ")


def tells(text: str) -> bool:
    """Whether `text` has words that only a failure has."""
    words = spoken(text)
    return any((rule := rules.first(words)) is not None and not rule.weak for rules in (specific, business, general))
