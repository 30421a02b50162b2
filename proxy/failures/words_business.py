"""Words in which a business refuses: stock, money, deadlines, bookings, approvals, policies. They outrank statuses
that only say "no" (403, 409), because the rule is what a model has to know.

Format: see vocabulary.py. Order matters: the first rule that fits decides.
"""

TABLE = r"""
RECIPIENT_UNSUBSCRIBED
    unsubscribed|opted out|opt.?out|do.?not.?(contact|call|disturb)|suppress(ion list|ed recipient)|退订
    拒收
OUT_OF_STOCK
    (out of|insufficient|not enough|no|low|zero|limited) (stock|inventory)
    stock (not enough|insufficient|exceeded|out)|sold.?out|库存|缺货|售罄|无货
    only \d+ [^,.;:\n]{0,40}(left|in stock|available|remaining)
    (\d+|none|few) (units? )?(left|remaining|available) ?(,|;|\(|in stock|for)|out.of.stock
    已?(下架|停售|断货|脱销)
    (insufficient|not enough) (quantity|units|items|supply|availability|seats|tickets)|back.?order
    discontinued|余票不足|余量不足
REFUND_EXCEEDS_PAYMENT
    (refund|amount).{0,60}(greater|more|exceed|larger|higher).{0,60}(charge|payment|paid|unrefunded|captured
        |refundable)
    退款(金额)?.{0,12}(超过|大于|超出).{0,20}(支付|实付|订单|可退)
AGE_RESTRICTED
    \b(age|aged|years? old|minor|underage|adult)\b.{0,60}(restrict|require|at least|under|minimum|must
        |verif)
    minimum age|未成年|年龄|(must be|at least) (at least )?\d+ years|\bage (restricted|limit|verification)
    under the (minimum|legal) age
MINIMUM_NOT_MET
    (minimum|min) (order|spend|purchase|amount|stay|quantity|nights|balance|deposit|charge|basket
        |value).{0,60}
    (below|under|less than|not (met|reached)).{0,40}(minimum|threshold)|minimum.{0,40}not (met|reached)|未满
    未达到|金额不足|不足.{1,10}元|起订|最低(消费|金额|限额)|低于最低
CARD_DECLINED
    (card|payment|charge|transaction|bank|issuer|authori[sz]ation).{0,60}(declin|refus|rejected
        |not honou?red|failed by)
    declined|do not honou?r
    (security code|cvc|cvv|pin|expiration (date|year|month)|zip code|account number).{0,30}(incorrect
        |invalid|wrong|failed|does not match)
    card (has |is )?(expired|blocked|lost|stolen|not supported|invalid)|expired card|incorrect cvc
    支付(被拒|失败)|(银行|信用)卡.{0,10}(过期|拒绝|无效)|payment required|\bfraud|stolen card|扣款失败
DOUBLE_BOOKING
    (already|is|are|was|been|double|over).?(booked|reserved|occupied)|double.?booking
    \b(slots?|times?|seats?|rooms?|tables?|dates?)\b.{0,40}(taken|conflict|unavailable|not available
        |not free|no longer available|overlap)
    reserved (for|by) (an)?other|(on hold|held) for (an)?other|taken by (an)?other
    not available (from|on|between|for (the|these|those|this)) (\w+ )?(date|time|period|slot|\d)
    already (has|have) (an?|another) (\w+ )?(booking|meeting|appointment|reservation)
    overlap(s|ping)? (with )?.{0,40}(booking|reservation|appointment|meeting|event|shift)
    conflict.{0,20}(booking|reservation|appointment|schedule|calendar)|scheduling conflict|time conflict
    schedule conflict|(已被|已经被|已有)(人)?(预订|预约|占用|预定)|时间冲突|日程冲突
    时段.{0,8}(冲突|占用|已满)
CAPACITY_REACHED
    (fully|completely) (booked|subscribed)
    no (more )?(seats|places|rooms|slots|spots|tickets|availability|vacanc\w+|capacity|tables?)\b|已约满
    已订满|满员|名额
    (up to|at most|maximum of|max(imum)?|no more than) \d+ (guests|people|persons|seats|participants
        |attendees|players|passengers)
    (course|class|event|flight|session|queue|waitlist|list|group|team|capacity|house|room|train
        |workshop).{0,30} (is|was|are) full\b
    capacity (reached|exceeded|limit|full)|over ?booked|(is|already) at (full )?capacity|已满
DEADLINE_PASSED
    (outside|past|after|beyond|exceed\w*|missed|over).{0,50}(window|deadline|cut.?off|period|grace|return
        |cancellation|hours|expiry|due date)
    (\d+|one|two|three) (hours?|days?|minutes?|weeks?) (before|prior to|after|of) (departure|check.?in
        |arrival|delivery|the (event|start|appointment|flight))
    (window|deadline|cut.?off|period|offer|sale|registration|enrol?lment|trial|coupon|voucher|promotion
        |promo|quote|subscription|contract|membership|licen[cs]e|policy|booking).{0,60}
        (has |is |have |was |already )?(passed|closed|expired|ended|elapsed|over\b|lapsed)
    (too late|no longer (possible|eligible|valid|refundable|accepted|cancell?able)|non.?refundable)
    超过.{0,40}(期限|时间|期|天|日|截止)|(已)?(截止|逾期|过期|超期|超时效)
    (voting|auction|poll|sale|offer|promotion|registration|bidding|contest|survey|season|trial|enrol?lment
        |booking|check.?in|submission|application|campaign) (period )?(has |is |was |have )?(already )?
        (ended|closed|over|finished|expired|not (yet )?(open|started)|opens|begins|starts)
    (expired|outdated) (coupon|voucher|offer|quote|promo\w*|code|gift card)
    (market|shop|store|branch|office|exchange|restaurant|kitchen) (is )?(currently )?closed|休市|打烊
    非(营业|交易)时间|(in the past|date (has )?passed|past date)|(已过|早于(今天|当前))
ALREADY_DONE
    already (been )?(cancel|ship|refund|paid|redeem|used|deliver|clos|process|return|complet|dispatch
        |confirm|submit|approv|reject|archiv|settl|sent|activ|deactiv|terminat|enrol|register|subscrib
        |checked|claimed|captured|voided|applied|posted|fulfilled|executed|expired|ended|started|assigned
        |invoiced|charged|resolved|signed)
    (has|have|was|were|is) (already )?(been )?(shipped|refunded|cancell?ed|delivered|dispatched|redeemed
        |settled|fulfilled|archived|voided|terminated|paid|closed|completed|used)\b.{0,80}(cannot|can't
        |can not|no longer|not possible|not allowed|too late|only be)
    (cannot|can't|can not|could not|unable to|not possible to) (be )?(cancel|refund|modif|chang|edit|updat
        |return|ship|delet|remov|reopen|amend|reschedul)\w* .{0,60}(ship|deliver|dispatch|paid|clos|complet
        |cancel|final|lock|process|status|state|draft|approved|settled|once|after)
    could not be \w+ed because|(has|with) (a |the )?status (of|:)
    (order|payment|invoice|booking|ticket|transfer).{0,40}(is|in) (status|state|stage)?.{0,20}(shipped|paid
        |closed|completed|cancell?ed|final|locked)
    已(经)?(于.{0,20})?(取消|发货|退款|支付|使用|核销|完成|关闭|签收|出库|处理|提交|审批|领取|签到|打卡|报销
        |投票|评价|参与|参加|绑定|激活|开通|结算|开票|兑换|撤销|作废|归档|注销|报名|出票)
    重复(提交|下单|支付|领取|报名)|不(可|能|得|允许|支持)重复
    (无法|不能|不可)(再)?(取消|退款|修改|撤销|退货|改签)
ACCOUNT_BLOCKED
    (account|user|customer|wallet|profile|member|merchant|supplier|vendor).{0,40}
        (is |has been |was |currently )?(locked|blocked|suspended|frozen|disabled|deactivated|closed|banned
        |restricted|on hold|inactive|terminated|delinquent)
    (账[户号]|用户|客户|会员).{0,40}(冻结|锁定|停用|封禁|禁用|注销|受限|黑名单|状态异常)|credit hold
    blacklist|black listed|sanction|黑名单|冻结|风控
BUSINESS_RULE
    outstanding (balance|invoice|payment|debt|order|amount)s?|\b(unpaid|overdue|arrears)\b
    open (invoices|balance|orders)|above the .{0,40}(agents?|users?|you|staff|employees?) (may|can)
CARD_DECLINED
    3ds|authenticate (this|the) payment|payment (method |details )?(is )?required
    payment not (yet )?received
DEADLINE_PASSED
    \b(are|is|was|were) (currently )?closed\b|closed (on|during|for|until|today|tomorrow)|too late
APPROVAL_REQUIRED
    (require|need|await|pending|without|must have|missing)\w*.{0,40}(approv|authori[sz]ation from|sign.?off
        |human review|manual review|second (person|signature)|four.eyes)
    approval (is )?(required|needed|pending|limit|threshold)
    (exceed|over|above)\w*.{0,60}(approval|authority|authori[sz]ed|your limit)
    需.{0,12}(审批|批准|授权人|复核|人工审核)|审批(权限|额度|上限)|未(经)?审批
NOT_ELIGIBLE
    (not|isn't|no longer) valid (for|on|in|at|until|with)\b|not been paid
    nothing to (refund|cancel|return|ship|pay|settle)
    (your|current|this|the|free|basic) (\w+ )?(plan|subscription|tier|license|package|membership
        |contract)\b.{0,40}(does not|doesn't|not|only) (include|allow|support|cover|permit|available)
    upgrade (to|your)
    requires? (a |an )?(premium|pro|paid|enterprise|business|higher) (plan|tier|account|subscription
        |license)
    (prerequisite|eligibility|requirement|precondition)\w*.{0,30}(not (met|satisfied|fulfilled|completed)
        |missing|unmet)
    (not|isn't|ineligible|in) ?(eligible|entitled|qualified|applicable|qualif\w+)|ineligib
    does not (qualify|meet)|doesn't (qualify|meet)
    (coupon|code|discount|promotion|offer|voucher|rate|tariff|rule|price) (does not|doesn't) apply
    do not (meet|qualify)|not applicable
    (requirement|condition|criteri)\w*.{0,30}not (met|satisfied|fulfilled)
    不(符合|满足).{0,20}(条件|要求|资格|规则)|(无|没有)资格|不(适用|参与)|不可用
    不支持(退款|退货|取消|换货|配送|改签|开票|开具发票|换货|7 ?天)|无法使用
LIMIT_EXCEEDED
    (exceed\w*|over|above|beyond|more than|greater than|surpass\w*).{0,50}(daily|weekly|monthly|yearly|per.?
        (day|order|customer|transaction|person|transfer|account|user)|transfer|transaction|withdrawal
        |spending|spend|purchase|order|credit|booking|refund|discount|expense|budget|card|trade|policy
        |approved|allowed|permitted|contract).{0,12}(limit|cap|maximum|max|allowance|amount|quota|budget
        |threshold|rate)
    (daily|weekly|monthly|yearly|per.?(day|order|customer|transaction|person|transfer|account|user|week
        |month|year|night|booking|household|item|guest|invoice|employee)|transfer|transaction|withdrawal
        |spending|purchase|order|credit|booking|refund|discount|expense|budget|trade|trading|position
        |leverage|stay|guest|baggage|weight|single) (amount )?(limit|cap|maximum|allowance|budget|ceiling)
    (are|is) limited to \d|limit of .{1,30} (per|a|each) (day|order|customer|person|week|month|transaction)
    at most \d+ (per|nights?|items?|units?|tickets?|guests?|days?|bookings?)|over (the )?budget
    (max(imum)?|no more than|up to) (of )?\d+ (nights?|guests?|tickets?|items?|units?|bookings?|persons?
        |people|days?)
    (超出|超过|大于|高于|已达).{0,30}(限额|上限|额度|限制|限购|预算|最大)|限购|超限
    每(日|人|单|天|月).{0,10}(限|最多)
FORBIDDEN_BY_POLICY
    (not|never|isn't|aren't) (allowed|permitted|possible|available|accepted|supported).{0,60}\b(for|by|in|on
        |under|with|to) (this|your|the|our|company|that|any|an?)? ?\w{0,15} ?(order|customer|role|polic\w+
        |tier|plan|region|country|account|product|item|contract|rule|tariff|fare|rate|status|state
        |destination|address|company)
    (cannot|can't|can not|may not|must not|could not) be (combined|stacked|returned|refunded|exchanged
        |cancell?ed|booked|shipped|redeemed|transferred|resold|rescheduled|sold|delivered|ordered|purchased
        |withdrawn|approved|discounted|rented|reversed|waived|backdated)
    \b(you|users?|agents?|employees?|customers?|members?|guests?|buyers?|sellers?|requesters?|minors?
        |non-?\w+|only \w+( \w+)?) (may|can|must|are|is|cannot|can't|may not)( not| only)?( allowed to
        | permitted to)? ?(approve|cancel|refund|book|order|transfer|buy|sell|return|rent|withdraw|redeem
        |change|purchase|reserve|vote|apply|trade|enrol|register|claim)\b
    \b(we|it|store|restaurant|carrier|merchant|supplier|hotel)( currently)? (do|does|can|could|will)( not
        |n't|not)? ?(not )?(only )?(ship|deliver|accept|offer|serve|sell|seat|host|insure|cover)[ ]
    not (possible|permitted|allowed) (within|after|before|during|once|until|unless|while)
    (polic(y|ies)|compliance|business rule|regulation|company rule|terms of service|legal|contract
        |tariff)\b.{0,60}(prohibit|forbid|violat|block|prevent|reject|refus|does(n't| not) allow|disallow
        |not permitted|not allowed|denied|require)
    (prohibited|forbidden|blocked|rejected|refused|denied|violat\w+|against|disallowed|restricted) (by
        |due to|under|of|per|because of) .{0,40}(polic|rule|compliance|regulation|contract|terms|risk|legal
        |sanction|guideline)
    \bpolicy violation|violates? .{0,30}polic
    role .{0,60}(may not|cannot|can't|must not|is not allowed|only)|does not (ship|deliver) to
    not (deliverable|shippable|served)|cannot (ship|deliver) to|违反.{0,12}(规定|政策|规则|制度)
    (规定|政策|规则).{0,8}(不允许|禁止|限制)|不在(配送|服务|营业|销售)
~FORBIDDEN_BY_POLICY
    not (refundable|returnable|transferable|exchangeable|cancell?able|combinable|stackable)
    (refund|refusal|order|booking|request|payment|transfer|application|claim|registration|withdrawal
        |cancellation|return|purchase) (was |is |has been |been )?(refused|rejected|not (placed|accepted
        |approved|granted|created|booked|completed|possible|allowed|permitted))
BUSINESS_RULE
    business (rule|logic|validation|exception|error)
    (申请|订单|请求|交易|支付|退款|预订|审核|提现)(已|被){1,2}(拒绝|驳回|取消)|信用(评分|分)
    (业务|规则)(校验|异常|错误|限制|拒绝)|rejected exception
    (order|booking|payment|refund|inventory|enrol?lment) (rejected|refused|denied)
"""
