"""Words about the form of a value: numbers, dates, JSON, types, ranges; and, last, words so general that almost
anything more precise outranks them.

Format: see vocabulary.py. Order matters: the first rule that fits decides.
"""

TABLE = r"""
INVALID_EMAIL
    (e-?mail|mail address|recipient address).{0,60}(not valid|invalid|malformed|must|missing|not a valid
        |incorrect|wrong)
    (invalid|malformed|bad|not a valid|valid) (\w+ )?(e-?mail|mail address)|@-sign
    (邮箱|邮件地址).{0,12}(无效|错误|不正确|格式)|domain part|(mailbox|address) syntax
INVALID_PHONE_NUMBER
    (phone|mobile|telephone).{0,30}(not valid|invalid|not a valid|malformed|incorrect|too short|too long)
    (invalid|not a valid|malformed) (\w+ |'\w+' ){0,2}(phone|mobile|telephone)|did not seem to be a phone
    (手机号|电话).{0,10}(无效|错误|不正确|格式)
INVALID_URL
    no connection adapters
    (invalid|malformed|unsupported|unknown|bad|missing|illegal|no|empty) (\w+ )?(url|uri|scheme|schema
        |protocol)\b
    url.{0,30}(invalid|malformed|missing|not valid|can't contain|scheme|protocol)|no scheme
    no connection adapters
    (scheme|protocol).{0,40}(not supported|unsupported|missing|invalid|not known|unknown|not recognized)
    (网址|链接|url).{0,10}(无效|错误|格式)|no host (supplied|specified|given)|only absolute urls
INVALID_REGEX
    (missing|unmatched|unbalanced) (closing |terminating |opening )?(parenthes[ie]s|bracket|\))
    (regex|regular expression|regexp|pattern).{0,60}(invalid|error|unterminated|unbalanced|unmatched|bad
        |parse|missing)
    (invalid|bad|malformed) (regex|regular expression|regexp|perl operator|preceding)
    unterminated (character set|subpattern|group)|missing \), unterminated|nothing to repeat
    unbalanced parenthesis|multiple repeat|unmatched (\(|\[|parenthes)|bad escape|bad character range
    look-behind|repetition operator|unclosed (group|character class)|正则
INVALID_FORMAT
    json ?patch
INVALID_TOKEN
    json web (token|signature|key|encryption)|\bjw[tsek]\b
INVALID_QUERY
    json ?(path|pointer)|jmes ?path|x ?path (expression|syntax|error)|css selector
INVALID_JSON
    (encoded|parsed|decoded|read|interpreted) as (a )?(valid )?json
    (invalid|malformed|bad|broken|not valid|not a valid|unparse?able|parse|parsing|decode|decoding
        |deserializ\w+|load|illegal) (\w+ ){0,4}json
    json.{0,40}(invalid|malformed|parse|decode|syntax|unexpected|not valid|error|at position|truncated|fail)
    expecting (value|property name|',' delimiter|':' delimiter)|unterminated string starting
    unexpected (token|end of (json|input)|non-whitespace|character .{0,12}json)|invalid control character at
    extra data: line|invalid \\\\?escape|eof while parsing|expected value at line
    trailing (characters|comma)|expected .{1,40} in json
INVALID_YAML
    yaml|mapping values are not allowed|(could not find|did not find) expected
    found character .{1,20} that cannot start|while (scanning|parsing) a|block (mapping|sequence|collection)
INVALID_TOML
    toml|(expected|invalid) .{0,30}(after a key|in key/value|initial character for)
INVALID_XML
    xml|mismatched tag|not well-formed|no element found|premature end of data|unclosed (tag|token|element)
    opening and ending tag|junk after document|start tag expected|undefined entity
    (html|markup) (parse|syntax)
INVALID_CSV
    csv|(expected|saw|found) (\w+ )?\d+ (fields|columns)|more fields than|ragged|delimiter expected
    expected after '"'|tokenizing data|number of (fields|columns)|record on line \d+|eof inside string
INVALID_TEMPLATE
    (template|jinja|mustache|handlebars|liquid|nunjucks|twig|erb|mako).{0,40}(error|syntax|invalid|fail
        |undefined)
    (unexpected|unknown|expected) (\w+ )?(tag|end of template|end of print|token 'end)
    end of print statement|模板.{0,6}(错误|无效)
INVALID_DATE
    does not contain a date|no (date|time) (found|in)
    (week|month|day|hour|minute|second|weekday) must be|^invalid (week|month|day|hour|year|minute)\b
    \b(date|time|datetime|timestamp|duration|interval|isoformat|iso.?8601|iso format|day|month|year|hour
        |minute|second|cron).{0,80}(invalid|not valid|out of range|malformed|must be in
        |unknown string format|does not match format|not match|unparse?able|could not be parsed
        |cannot be parsed|not a valid|could not parse|unconverted|expected|not recognized|wrong format
        |incorrect|bad)
    (invalid|unknown|bad|malformed|incorrect|unparse?able|not a valid|could not parse|cannot parse
        |can't parse|unable to parse|failed to parse|unrecognized) .{0,30}(date|time|datetime|timestamp
        |duration|isoformat|string format|month|weekday|cron|frequency)
    does not match format|unconverted data|day is out of range
    (日期|时间).{0,20}(无效|格式|错误|不正确|不合法)|month must be in|year .{0,30}out of range|hour must be
    minute must be|second must be
INVALID_NUMBER
    (invalid|could not|cannot|can't|not a|unable to|failed to|bad|malformed|illegal) .{0,40}(number|numeric
        |integer|\bint\b|float|decimal|double|bigint|\breal\b)
    invalid literal for|could not convert string|number ?format|conversion ?syntax|not a (number|numeric)
    parse ?int|(数字|金额|数值|数量).{0,10}(无效|格式|错误|不正确|不合法)|invalid operation.{0,20}decimal
    invalid digit|for input string|input syntax for type (integer|numeric|bigint|double|real|smallint|money)
UNSUPPORTED_FORMAT
    (unsupported|unknown|unrecognized|invalid|not supported|no) (\w+ ){0,3}(format|file type|filetype
        |extension|media type|content.?type|mime|codec|compression|engine|version|scheme|image mode
        |file format)
    (format|file type|extension|media type|content.?type|codec|encoding|engine).{0,60}(not supported
        |unsupported|not (recognized|available)|unknown|cannot be determined)
    (does not|doesn't) support .{0,40}(format|file|type)|不支持的?(文件|格式|类型|编码)|is not supported
    cannot identify image
INVALID_ENCODING
    (codec|utf.?8|unicode|encoding|decode|encode|charset|ascii|byte).{0,60}(can't|cannot|invalid|error
        |unknown|illegal|fail|not (supported|valid)|unmappable)
    unknown encoding|invalid (utf|byte|continuation|start byte|character)|unicode (decode|encode) error
    unsupported encoding|illegal multibyte|编码(错误|无效)|stream did not contain valid
INVALID_FILE
    (not a|bad|corrupt|corrupted|damaged|truncated|invalid|malformed|broken|unexpected|could not read
        |unreadable|unsupported) (\w+ ){0,3}(file|zip|gzip|gzipped|archive|image|pdf|database|parquet|header
        |magic|workbook|excel|stream|frame|signature|checksum|crc|data error|docx|tar|pickle|bytes|bitmap
        |document)
    (file|zip|gzip|archive|image|pdf|parquet|header|workbook|excel|checksum|crc|frame).{0,50}(corrupt
        |damaged|truncated|invalid|malformed|not valid|mismatch|unreadable|is encrypted|cannot be (read
        |opened)|not a)
    (corrupt|encrypted|magic (number|bytes))|file is not|from frame header
    unexpected end of (file|archive|stream|data)|文件(损坏|格式错误|无法解析)|decompress
    not (an? )?(valid )?(zip|gzip|pdf|excel|image|parquet)
SHAPE_MISMATCH
    inhomogeneous|ragged (nested|sequence)
    (shape|dimension|length|size|broadcast|axis|axes|rank|arrays?|columns|matri(x|ces)|tensor).{0,80}
        (mismatch|not (match|aligned|broadcast|equal|agree)|must (match|be the same|be equal|have the same
        |agree)|must be of the same|(do(es)?|did) not (match|agree)|differ|inconsistent|incompatible
        |could not be broadcast)
    (mismatch\w*|inconsistent|incompatible|unequal|different) .{0,40}(shape|dimension|length|size
        |numbers of samples|column)
    not aligned|same length|could not be broadcast|cannot reshape|core dimension|mat1 and mat2
NUMERICAL_ERROR
    (root|solution|minimum|optimum|fit)\b.{0,40}(tolerance|not found|converge)|within (the )?(given )?tolerance
    singular (matrix|value)|(did|does|not) (not )?converge|failed to converge|not positive definite
    math domain|domain error|numerical result out of range|overflow ?error|arithmetic (error|overflow)
    underflow|ill.?conditioned|not invertible|infs? or nans?|contains (nan|inf)|nan values|input contains
    infeasible|unbounded
DIVISION_BY_ZERO
    division.{0,12}by zero|divi(de|sion) by 0|divided? by zero|zero division|除数(不能)?为(零|0)|除以零
    modulo by zero
INDEX_OUT_OF_RANGE
    index.{0,40}(out of (range|bounds)|too large|exceed|越界)|out of bounds|list index|subscript out of
    slice bounds|索引越界|下标越界|range ?error \(index\)|inclusive range
VALUE_OUT_OF_RANGE
    (out of|outside|not in|beyond|exceed\w*).{0,20}(range|bounds|limit|the allowed|maximum)
    (must|should|has to|needs? to|cannot|can't|may not|must not|ought to) (be|have|exceed|contain) ?
        (at least|at most|less|greater|more|between|positive|non.?negative|negative|smaller|larger|bigger
        |in the range|in \[|>|<|≥|≤|no more|longer|shorter|fewer|under|over|above|below|within|zero|empty)
    (greater|less|smaller|larger|bigger|lower|higher|more|fewer) (than|or equal)
    (too|is) (long|short|large|small|big|high|low|many|few|great)\b
    (maximum|minimum|max|min) (of|is|length|value|size|allowed|items|number)
    (numeric|integer|arithmetic|field|value|number|data|string data|bigint|smallint).{0,20}(overflow
        |too long|right truncation|out of range)
    (必须|应|需|不能|不得|不可).{0,8}(晚于|早于|少于|多于|低于|高于|等于|大于|小于|介于|不超过|至少|最多
        |超过|在.{1,20}之间)
    超出(范围|长度)|过长|过短|过大|length (must|should|is)|should have at (least|most)|non-empty
    at (least|most) \d
INVALID_ENUM_VALUE
    (not|isn't|none) (a |an )?(one of|among|in|valid) ?(the )?(allowed|permitted|valid|supported|accepted
        |known|enum|enumeration|list|choices|options|member|\[|\{|\(|')
    (must|should|has to|can only|needs to|expected|expecting|got) (be |to be )?(one of|either|any of
        |equal to one)
    (invalid|unknown|unexpected|unsupported|unrecognized|illegal|bad) (enum\w*|option|choice|status|mode
        |level|category|priority|region|locale|language|severity|direction|strategy|algorithm|method name
        |carrier|size|colou?r|country|sort|order by|interval|frequency|freq|period)\b
    valid (values|options|choices|types|statuses|values are)
    (allowed|valid|permitted|accepted|supported|possible|available|expected) (values?|options?|choices?
        |types?)\b
    choose (one )?(from|of|between)|is not a valid \w|input should be '
    invalid (input value for enum|selection)|not a valid choice|enum|(只能|必须)(是|为).{0,40}(之一|或)
    取值(范围|只能)|expected one of|not in (the )?(list|set|allowed)|does not have a member|no enum constant
INVALID_TYPE
    cast to \w+( \w+)? failed|trying to (merge|join|concat|compare|add)|while structuring
    (wrong|invalid|incorrect|unexpected|unsupported|incompatible|bad|mismatched
        |inconsistent) (\w+ ){0,2}types?\b
    type.{0,20}(mismatch|error|is incorrect|not (supported|match|valid))
    (must|should|expected|expects?|has to|needs? to|required|requires|want\w*|got|received|found|be
        |not) (to )?(be )?(an? |of |of type |instance of |the |type )*(valid )?(integer|int|string|str
        |number|numeric|boolean|bool|list|array|object|dict|dictionary|float|date|datetime|uuid|bytes|map
        |mapping|sequence|tuple|null|none|real number|character|callable|iterable)\b
    not of type|is not (a|an) (\w+ )?(type|number|string|integer|object|array|list|instance)
    (cannot|can't|could not|unable to|failed to) (convert|cast|coerce|parse|deserialize|unmarshal|decode
        |assign)
    input (should|must) be|not assignable|cannot be (cast|converted|coerced|interpreted)
    (类型|格式).{0,10}(错误|不正确|不匹配|不符|无效)|datatype mismatch|invalid input syntax for
INVALID_FORMAT
    (errors?|failed|failure|unable|could not|couldn't|cannot|can't|problem) (to |while |in |when )?(pars
        |decod|deserializ|unmarshal|unpack|interpret|tokeniz)\w+
    (could not|cannot|can't) be (parsed|decoded|interpreted|deserialized|tokenized)
    not in (a|the) (correct|expected|valid|right|proper) format
    (does not|doesn't) (appear|look|seem) (to be|like)
    non-?(hexadecimal|numeric|ascii|alphanumeric|integer|decimal|base64)|no section headers|parsing errors
    embedded null|null (byte|character)
    (does not|doesn't|must|should|not|failed to|didn't|did not) (match|conform|comply|follow).{0,40}(pattern
        |format|regex|schema|expression|'|\^|/)
    (invalid|wrong|bad|incorrect|malformed|unexpected|illegal) (\w+ ){0,2}(format|syntax|form|pattern
        |characters?|character)
    (format|syntax).{0,20}(is |was )?(invalid|incorrect|wrong|error|not valid)|malformed|ill.?formed
    badly formed|(string|value) did not match|not (valid )?(base64|hex|uuid)
    invalid (uuid|guid|iban|bic|isbn|ip|ipv4|ipv6|mac|hex\w*|base64|slug|cidr|checksum|country code|postal
        |zip|id\b|identifier|object ?id|object id|arn|hash)
    格式(不|错|无)|expected length
SYNTAX_ERROR
    (operator|operand|integer expression) expected|unary operator
    \beof in\b|(unexpected|premature) end|end of (file|input|string|line|expression)
    incomplete (expression|statement|input)
    unterminated|syntax ?error|invalid syntax|parse ?error|parser error
    unexpected (eof|end of file|indent|token|symbol|character|identifier|keyword|newline|'|`|\")
    unterminated (string|quoted|f-string|triple)|was never closed|missing separator
    expected ('|an? (indented|expression)|;|\)|\]|\}|`)|unmatched '|unclosed|indentation ?error|语法错误
    invalid expression|unbalanced|compilation error|cannot parse|could not parse|couldn't parse
    failed to parse|unable to parse|解析(失败|错误)|unexpected (input|end)|invalid configuration|bareword
    mismatched input|no viable alternative
COMPILE_ERROR
    cannot find (symbol|value|type|name|module)|undeclared|undefined (reference|symbol|identifier|variable)
    could not compile|compilation (failed|terminated|error|aborted)|compile ?(error|failed)
    (use of )?unresolved (name|symbol|reference|external)|requires explicit package name
    not declared in this scope|error\[e\d{4}\]|编译(失败|错误)|implicit declaration
NAME_ERROR
    undef var error|\bobject '.{1,60}' not found|undefined (subroutine|name|function)|`.{1,60}` not defined
    variable not in scope|cannot find .{1,60} in (this )?scope|undefvarerror|name '.{1,60}' is not defined
    is not defined|name ?error|reference ?error|undefined (local )?variable|undefined:[ ]|unbound variable
    unknown (variable|symbol|name|identifier)|undefined method|no method|未定义
ASSERTION_FAILED
    assert(ion)?\b.{0,60}(fail|error|violat)|assertion ?error|断言失败|invariant (violation|failed)
NOT_IMPLEMENTED
    not (yet )?(been )?implemented|unimplemented|not supported (yet|by this|on this)|notimplemented
    unsupported operation|未实现|(尚|暂)不支持|not (yet )?supported
CONFIGURATION_ERROR
    (missing|invalid|malformed|bad|unexpected|unknown) .{0,160}connection (info )?(string|uri|url)
    connection info
    (configuration|config|settings?|environment variable|env(ironment)? var|misconfigur\w+
        |improperly configured|setup|dsn|connection (string|info)|data source|driver).{0,60}(error|invalid
        |missing|not (set|found|configured|specified|defined|loaded)|incorrect|wrong|unsupported|unknown
        |fail|is required|must be|no default)
    improperly ?configured|misconfigur
    (missing|invalid|unsupported|unknown|no|could not load|can't load|not find) (\w+ ){0,2}(configuration
        |config|setting|environment variable|driver|dsn|plugin|backend|dialect)
    配置(错误|缺失|不正确)|未配置
KEY_NOT_FOUND
    no such key|key.{0,60}(not found|does not exist)
UNKNOWN_FIELD
    key ?error
CONFLICT
    conflict|冲突
    (invalid|illegal|wrong|incorrect|unexpected|bad) (object |resource |order |entity )?(state|status
        |transition)
    (in|has) (an? )?(invalid|wrong|incompatible|incorrect) state|cannot transition|invalid state|busy
NOT_FOUND
    \bno (\w+ ){1,3}(…|[a-z]{1,5}-?\d+\b)|could not be (located|found|retrieved)|no rows in result
    (not|never|n't) (been )?(registered|known|declared|catalogued|listed|recognized|recognised)\b
    \bno (section|option|item|entry|element|node|object|product|customer|user|order|account|record|row
        |member|device|host|process|job|task|ticket|document|page|image|container|pod|deployment|mapping
        |route|price|rate|stock)s? ?(named|called|with|for|:|'|\"|\(|#|id\b)
    not.?found|does not exist|doesn't exist|do not exist|did not exist|no such\b
    (cannot|can't|could not|couldn't|unable to|failed to|didn't|did not) (find|locate|be found|retrieve
        |resolve|look up)
    (no|zero) (\w+ ){0,4}(found|exists?|matched|matches|named|called|with (that |this |the |an? )?(id|name
        |key|number|sku|code))
    unknown (article|branch|store|supplier|vendor|employee|driver|vehicle|course|student|patient|guest|brand
        |shop|merchant|beneficiary|contact|invoice|booking|reservation|ticket|id|key|order|customer|product
        |item|sku|user|account|resource|entity|object|host|service|task|job|topic|queue|bucket|index|region
        |city|country|airport|station|symbol|ticker|project|repo\w*|model|name|type|event|reference|node
        |group|file|number|element|location|address|path|channel|room|warehouse)
    nonexist|non-exist|missing (object|resource|entity|record|row)
    not (part of|registered|known|listed|present)\b
    (不存在|未找到|找不到|没有找到|查无|无此|未查询到|无法找到)|no longer exist|is not in|there is no
    resource missing|does not have (an?|any|the)
    no (data|rates?|prices?|quotes?|info\w*|records?|entr(y|ies)|results?|content) (available|for)
    isn't (known|there)|invalid (order|customer|user|account|product|sku|item|tracking)( id| number)?
INVALID_SCHEMA
    (invalid|bad|unresolvable|unsupported) (\w+ )?(schema|definition|ref\b)
UNSUPPORTED_FORMAT
    unsupported
UPSTREAM_ERROR
    internal (server|service|api) ?(error|failure|exception)|server ?(side )?(error|failure|exception|fault)
    backend ?(error|failure)|upstream ?(error|failure)|service (error|exception|failure)
    unexpected (server|api|upstream|response) ?(error|response|status)?|api ?error|api (exception|failure)
    服务器?(内部)?(错误|异常|故障)|error occurred (on|at|in) the (server|service|backend|remote)
UNKNOWN_ERROR
    (unknown|unexpected|internal|unhandled|general|generic|系统|内部|未知) ?(system |内部)?(error|exception
        |failure|fault|错误|异常|故障)
INVALID_VALUE
    必须(为|是|大于|小于|在|介于|包含|等于|填写|早于|晚于)|须为|只能(为|是|包含|填)|不得(大于|小于|少于|早于|晚于)|(应|需)(为|大于|小于)\S{1,8}(数|整数|格式|日期)
    (unknown|unrecognized|unrecognised|undefined)\b
VALIDATION_FAILED
    validation.{0,30}(error|fail)|(failed|invalid|error).{0,20}validat|(校验|验证)(失败|未通过|不通过|错误)
    (参数|数据|输入|请求)(有误|错误|无效|不正确|不合法|异常|非法)
    invalid (argument|parameter|param|input|request|data|payload|body|field)s?\b
    (argument|parameter|param|input|request|value|field|data|body|id|name)s?.{0,60}(is |are |was |were )?
        (invalid|not valid|incorrect|not acceptable|unacceptable|malformed|illegal)
    bad (request|input|argument|parameter|value|data)|illegal ?(argument|state|value)|请求参数
    not (a )?valid\b|unprocessable|constraint|非法(参数|值|输入)|不合法
USAGE_ERROR
    \beusage\b|\busage: \S|usage ?error|try .{1,60} --help|wrong usage
    can only .{0,60} (with|from|in) an? existing
INVALID_VALUE
    (contains|has) a cycle|circular (reference|dependency)|cyclic|empty \w+$|^empty \w+
    empty (range|sequence|iterable|list|set|array|dataset|input|string|value|body|query|file)\b|same file
    odd-length|host bits|value ?error|invalid\b|illegal\b|incorrect\b|无效
    (must|should) (not )?(be|have|contain|start|end|match|equal|include|specify|only)|cannot be|can't be
    not allowed|not permitted|expected .{1,80}(but |, ?)(got|found|received|was|saw)|expected:?[ ]
    unexpected\b|has to be|不允许|only (works?|supports?|accepts?|allows?|takes?|handles?)\b
    (too|not) (long|short|many|few|large|small)\b
RESOURCE_EXHAUSTED
    insufficient (\w+ )?capacity|(sufficient|enough) .{0,40}capacity|resource.?exhausted
    resources? (exhausted|limit|exceeded|temporarily unavailable)|limit (exceeded|reached)
    exceed\w* .{0,40}limit|too many|资源(不足|耗尽)
COMMAND_FAILED
    (command|process|script|step|build|job|task|program) (execution )?(failed|exited|returned|terminated)
    non.?zero (exit|status|return)|exit (code|status) [1-9]|returned (error|exit)
~UNKNOWN_ERROR
    \b(error|failed|failure|fail|exception|fatal|aborted|crashed|unable|cannot|can't|could not|couldn't
        |refused|rejected|denied)\b
    (出错|失败|错误|异常|无法|不能|未能|不可)
"""
