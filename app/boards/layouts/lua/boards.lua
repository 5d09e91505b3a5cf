#!lua name=pressbox_boards_@version@
-- The atomic steps of a board, for one part of it (a hash shard or a score range). What they promise is written in
-- docs/decisions/0010-boards.md and app/boards/rules.py; tests/boards/plain.py says the same in plain Python.
-- A stored value travels as text: the negated score, and where times decide ties a colon and the time, always as wide
-- ('-7:00000000000ff'). A sorted set holds the number, and the member with the time in front of the name. Numbers travel
-- as decimal text.

-- What no caller of ours sends is refused by name before anything is written: a function that fails half-way leaves
-- what it has written until then.
local MOST_ROWS = 2000 -- of one answer, either way from a member; Lua itself hands on 8,000 values at most
local TIE = 13 -- hexadecimal digits
local LAST_TIE = 2 ^ 52 - 1
local function refused(what) return redis.error_reply('ERR pressbox: ' .. what) end
local function is_whole(given) return given ~= nil and #given <= 40 and string.find(given, '^%-?%d+$') ~= nil end
local function is_count(given, most) return is_whole(given) and tonumber(given) >= 0 and tonumber(given) <= most end
local function is_tie(given) return given == '' or #given == TIE and string.find(given, '^%x+$') ~= nil end
local function is_stored(given)
  local number, colon, tie = string.match(given or '', '^(%-?%d+)(:?)(.*)$')
  return number ~= nil and is_whole(number) and is_tie(tie) and (colon == '') == (tie == '')
end
local function is_flag(given) return given == '0' or given == '1' end
local function is_rests(given) return given == '' or string.find(given or '', '^%-?%d+ ') ~= nil end
local AGGREGATIONS = {highest = true, sum = true, latest = true}

local function text(number) return string.format('%.0f', number + 0) end -- + 0: never '-0'

-- The number and the time ('' where there is none) of a stored value, as texts.
local function split(stored)
  local colon = string.find(stored, ':', 1, true)
  if not colon then return stored, '' end
  return string.sub(stored, 1, colon - 1), string.sub(stored, colon + 1)
end

-- By bytes, as sorted sets order members: Lua's own `<` would go by the locale of the server.
local function precedes(a, b)
  for i = 1, math.min(#a, #b) do
    local left, right = string.byte(a, i), string.byte(b, i)
    if left ~= right then return left < right end
  end
  return #a < #b
end

-- Sends a command with many values, as many at a time as Lua hands on.
local MOST_VALUES = 4000 -- a multiple of all steps in which values belong together
local function send(command, key, values)
  for from = 1, #values, MOST_VALUES do
    redis.call(command, key, unpack(values, from, math.min(from + MOST_VALUES - 1, #values)))
  end
end

-- The same with one answer of each value, in their order.
local function asked(command, key, values)
  local found = {}
  for from = 1, #values, MOST_VALUES do
    local answers = redis.call(command, key, unpack(values, from, math.min(from + MOST_VALUES - 1, #values)))
    for i, answer in ipairs(answers) do found[from + i - 1] = answer end
  end
  return found
end

-- What members hold: `number` and, where times decide ties, `tie`, each by member.
local function holdings() return {number = {}, tie = {}} end
local function note_holding(held, member, stored)
  local number, tie = split(stored)
  held.number[member], held.tie[member] = tonumber(number) + 0, tie ~= '' and tie or nil
end

-- What the part holds of these members. keys: as of place_all; tied: whether times decide ties on this board
local function held_of(keys, members, tied)
  local held, others = holdings(), members
  local sources = {{'ZMSCORE', keys[1]}, {'HMGET', keys[5]}}
  for turn = 1, 2 do
    local asked_now, source = others, sources[tied and 3 - turn or turn]
    others = {}
    for i, stored in ipairs(asked(source[1], source[2], asked_now)) do
      if stored then note_holding(held, asked_now[i], stored) else others[#others + 1] = asked_now[i] end
    end
  end
  return held
end

-- Counts that something has changed, by which a cached look at the part (app/core/page_cache) ends.
local function note_change(ranking) redis.call('INCR', ranking .. ':changed') end

-- Keeps the distinct numbers: `steps` says by number how many more members have it. In the order of `numbers`.
local function count_numbers(distinct, counts, numbers, steps)
  local stepped, counted, emptied, begun = {}, {}, {}, {}
  for _, number in ipairs(numbers) do
    if steps[number] ~= 0 then stepped[#stepped + 1] = number end
  end
  for i, members in ipairs(asked('HMGET', counts, stepped)) do
    local number, before = stepped[i], tonumber(members or 0)
    local after = before + steps[number]
    if after == 0 then
      emptied[#emptied + 1] = number
    else
      counted[#counted + 1], counted[#counted + 2] = number, after
      if before == 0 then begun[#begun + 1], begun[#begun + 2] = number, number end
    end
  end
  send('HSET', counts, counted)
  send('HDEL', counts, emptied)
  send('ZREM', distinct, emptied)
  send('ZADD', distinct, begun)
end

-- Puts members, each once, from what they have `held` to what they hold `now`; nothing there takes them away. Gives how
-- many moved. keys: ranking, distinct, counts, size, ties
local function place_all(keys, dense, members, held, now)
  local gone, entries, untied, tied, numbers, steps = {}, {}, {}, {}, {}, {}
  local moved, more = 0, 0
  local function step(number, by)
    if not steps[number] then numbers[#numbers + 1], steps[number] = number, 0 end
    steps[number] = steps[number] + by
  end
  for _, member in ipairs(members) do
    local before, after = held.number[member], now.number[member]
    local held_tie, tie = held.tie[member], now.tie[member]
    if before ~= after or held_tie ~= tie then
      moved = moved + 1
      if after then
        entries[#entries + 1], entries[#entries + 2] = after, tie and tie .. member or member
        if tie then tied[#tied + 1], tied[#tied + 2] = member, text(after) .. ':' .. tie end
        more = more + 1
        if dense then step(after, 1) end
      end
      if before then
        if not after or held_tie ~= tie then gone[#gone + 1] = held_tie and held_tie .. member or member end
        if held_tie and not tie then untied[#untied + 1] = member end
        more = more - 1
        if dense then step(before, -1) end
      end
    end
  end
  if moved == 0 then return 0 end
  note_change(keys[1])
  send('ZREM', keys[1], gone)
  send('ZADD', keys[1], entries)
  send('HDEL', keys[5], untied)
  send('HSET', keys[5], tied)
  -- Counted only where it was counted from the beginning: a part that lost everything must not seem whole again.
  if more ~= 0 and redis.call('EXISTS', keys[4]) == 1 then redis.call('INCRBY', keys[4], more) end
  if dense then count_numbers(keys[2], keys[3], numbers, steps) end
  return moved
end

-- Members with what they are to hold, of groups of `width` arguments from `first` on: each once, the last value counts;
-- '' for none.
local function wanted(args, first, width)
  local members, now, known = {}, holdings(), {}
  for i = first, #args, width do
    local member = args[i]
    if not known[member] then members[#members + 1], known[member] = member, true end
    now.number[member], now.tie[member] = nil, nil
    if args[i + 1] ~= '' then note_holding(now, member, args[i + 1]) end
  end
  return members, now
end

-- The outcomes of an attempt (OUTCOMES in app/boards/layouts/hashed.py).
local COUNTED, UNCHANGED, SEEN, OUT_OF_RANGE = 0, 1, 2, 3

-- What a member holds after one more attempt: number and tie, or nil and an outcome.
-- held, held_tie: what is held so far, or nil; rests: "at event" of it, under `latest` alone; tie: nil where times decide
-- none.
local function aggregate(aggregation, limit, held, held_tie, rests, score, tie, at, event)
  if math.abs(score) > limit then return nil, OUT_OF_RANGE end
  local number = 0 - score -- never -0
  if not held then return number, tie end
  if aggregation == 'highest' then
    if number < held or (tie and number == held and precedes(tie, held_tie or '')) then return number, tie end
  elseif aggregation == 'sum' then
    local total = score - held
    if math.abs(total) > limit then return nil, OUT_OF_RANGE end
    return 0 - total, (not held_tie or tie and precedes(held_tie, tie)) and tie or held_tie
  elseif not rests then
    return number, tie
  else
    local space = string.find(rests, ' ', 1, true)
    local held_at, held_event = tonumber(string.sub(rests, 1, space - 1)), string.sub(rests, space + 1)
    if at > held_at or (at == held_at and precedes(held_event, event)) then return number, tie end
  end
  return nil, UNCHANGED
end

-- The attempts of apply, or nil and what is wrong with its keys and arguments.
local function attempts_of(keys, args)
  if #keys ~= 7 or #args ~= 5 then return nil, 'apply takes 7 keys and 5 arguments' end
  if not AGGREGATIONS[args[1]] then return nil, 'no such aggregation' end
  if not is_flag(args[2]) or not is_flag(args[3]) or not is_whole(args[4]) then
    return nil, 'dense, tied or limit is none'
  end
  local is_packed, attempts = pcall(cmsgpack.unpack, args[5])
  if not is_packed or type(attempts) ~= 'table' or #attempts == 0 or #attempts % 4 ~= 0 or #attempts > 4 * MOST_ROWS then
    return nil, 'apply takes a packed list of at most ' .. MOST_ROWS .. ' attempts'
  end
  for i = 1, #attempts, 4 do
    local member, event, score, at = attempts[i], attempts[i + 1], attempts[i + 2], attempts[i + 3]
    if type(member) ~= 'string' or member == '' or type(event) ~= 'string' or event == '' then
      return nil, 'member or event is empty'
    end
    if type(score) ~= 'number' or type(at) ~= 'number' or score % 1 ~= 0 or at % 1 ~= 0 then
      return nil, 'score or time is none'
    end
  end
  return attempts
end

-- Attempts one after the other, all in one step. keys: ranking, distinct, counts, size, ties, seen, rests
-- args: aggregation, dense 0/1, tied 0/1, limit, and packed (MessagePack) in one: member, event, score, at (microseconds)
-- of each. Gives packed of each: outcome, number and tie now, number and tie before; false and '' for none.
local function apply(keys, args)
  local attempts, fault = attempts_of(keys, args)
  if fault then return refused(fault) end
  local aggregation, tied, limit, latest = args[1], args[3] == '1', tonumber(args[4]), args[1] == 'latest'
  local members, events, known = {}, {}, {}
  for i = 1, #attempts, 4 do
    local member = attempts[i]
    if not known[member] then members[#members + 1], known[member] = member, true end
    events[#events + 1] = attempts[i + 1]
  end
  local before, now, rests, seen = held_of(keys, members, tied), holdings(), {}, {}
  for member, number in pairs(before.number) do now.number[member], now.tie[member] = number, before.tie[member] end
  if latest then
    for i, found in ipairs(asked('HMGET', keys[7], members)) do rests[members[i]] = found or nil end
  end
  for i, mark in ipairs(asked('HMGET', keys[6], events)) do seen[events[i]] = mark or nil end
  local answers, marks, new_rests = {}, {}, {}
  for i = 1, #attempts, 4 do
    local member, event, at = attempts[i], attempts[i + 1], attempts[i + 3]
    local held, held_tie = now.number[member], now.tie[member]
    local outcome, number, tie = SEEN, nil, nil
    if not seen[event] then
      if tied then tie = string.format('%013x', math.min(math.max(at, 0), LAST_TIE)) end
      number, tie = aggregate(aggregation, limit, held, held_tie, rests[member], attempts[i + 2], tie, at, event)
      outcome = number and COUNTED or tie
      if outcome ~= OUT_OF_RANGE then seen[event], marks[#marks + 1], marks[#marks + 2] = '1', event, '1' end
      if number then
        if number == held and tie == held_tie then outcome = UNCHANGED end
        now.number[member], now.tie[member] = number, tie
        if latest then
          rests[member] = text(at) .. ' ' .. event
          new_rests[#new_rests + 1], new_rests[#new_rests + 2] = member, rests[member]
        end
      end
    end
    local place = #answers
    answers[place + 1], answers[place + 2], answers[place + 3] = outcome, now.number[member] or false, now.tie[member] or ''
    answers[place + 4], answers[place + 5] = held or false, held_tie or ''
  end
  send('HSET', keys[6], marks)
  send('HSET', keys[7], new_rests)
  place_all(keys, args[2] == '1', members, before, now)
  return cmsgpack.pack(answers)
end

-- keys: as of apply
-- args: dense 0/1, then member, stored value or '' to remove, "at event" or '' ... Gives how many moved.
local function put(keys, args)
  if #keys ~= 7 or #args % 3 ~= 1 or not is_flag(args[1]) then return refused('put takes 7 keys, dense and threes') end
  for i = 2, #args, 3 do
    if args[i] == '' then return refused('a member is empty') end
    if args[i + 1] ~= '' and not is_stored(args[i + 1]) then return refused('a stored value is none') end
    if not is_rests(args[i + 2]) then return refused('a rest is none') end
  end
  local some_rest = redis.call('EXISTS', keys[7]) == 1
  for i = 2, #args, 3 do
    if args[i + 2] ~= '' then
      redis.call('HSET', keys[7], args[i], args[i + 2])
    elseif some_rest then
      redis.call('HDEL', keys[7], args[i])
    end
  end
  local members, now = wanted(args, 2, 3)
  return place_all(keys, args[1] == '1', members, held_of(keys, members, false), now)
end

-- What is wrong with the keys and arguments of publish and amend, or nil.
local function table_fault(keys, args)
  if #keys ~= 6 or #args < 2 or #args % 2 ~= 0 or not is_flag(args[1]) then
    return 'a table takes 6 keys, dense, a version and pairs'
  end
  if not is_count(args[2], 2 ^ 53) then return 'the version is none' end
  for i = 3, #args, 2 do
    if args[i] == '' or not is_stored(args[i + 1]) then return 'a member or a stored value is none' end
  end
end

-- Whole table or nothing, and never an older one over a newer: two writers may arrive in either order.
-- keys: ranking, distinct, counts, size, ties, version; args: dense 0/1, version, then member, stored value ...
local function publish(keys, args)
  local fault = table_fault(keys, args)
  if fault then return refused(fault) end
  if tonumber(args[2]) < tonumber(redis.call('GET', keys[6]) or '0') then return 0 end
  redis.call('UNLINK', keys[1], keys[2], keys[3], keys[5])
  redis.call('SET', keys[4], '0')
  note_change(keys[1])
  local members, now = wanted(args, 3, 2)
  place_all(keys, args[1] == '1', members, holdings(), now)
  redis.call('SET', keys[6], args[2])
  return 1
end

-- The next version of a published table by what changed alone; 0 unless the version just before it is held.
-- keys and args: as for publish
local function amend(keys, args)
  local fault = table_fault(keys, args)
  if fault then return refused(fault) end
  if tonumber(redis.call('GET', keys[6]) or '-1') ~= tonumber(args[2]) - 1 then return 0 end
  local members, now = wanted(args, 3, 2)
  place_all(keys, args[1] == '1', members, held_of(keys, members, false), now)
  redis.call('SET', keys[6], args[2])
  return 1
end

-- Whether the part still holds all that was written to it: {members, 'whole' | 'lost' | 'uncounted'}.
-- keys: as of apply; args: dense 0/1, latest 0/1, tied 0/1
local function whole(keys, args)
  if #keys ~= 7 or #args ~= 3 then return refused('whole takes 7 keys and 3 arguments') end
  local members, size = redis.call('ZCARD', keys[1]), redis.call('GET', keys[4])
  if not size then return {members, 'uncounted'} end
  local kept = members == tonumber(size)
  if args[1] == '1' then
    local distinct = redis.call('ZCARD', keys[2])
    kept = kept and distinct == redis.call('HLEN', keys[3]) and (distinct > 0 or members == 0)
  end
  if args[2] == '1' then kept = kept and redis.call('HLEN', keys[7]) == members end
  if args[3] == '1' then kept = kept and redis.call('HLEN', keys[5]) == members end
  return {members, kept and 'whole' or 'lost'}
end

-- Says that what the part holds now is all of it: from now on members are counted. keys: as of apply
local function count(keys)
  if #keys ~= 7 then return refused('count takes 7 keys') end
  redis.call('SET', keys[4], redis.call('ZCARD', keys[1]))
  return 1
end

-- How many entries stand before (number, name) in the order, whether or not it is one of them.
local function before(ranking, stored, member)
  local low = redis.call('ZCOUNT', ranking, '-inf', '(' .. stored)
  local high = redis.call('ZCOUNT', ranking, '-inf', stored)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if precedes(redis.call('ZRANGE', ranking, middle, middle)[1], member) then low = middle + 1 else high = middle end
  end
  return low
end

-- keys: ranking, distinct; args: number, name, ... Gives for each {entries before, entries with a better number,
-- better distinct numbers}.
local function places(keys, args)
  if #keys ~= 2 or #args % 2 ~= 0 then return refused('places takes 2 keys and pairs') end
  local found = {}
  for i = 1, #args, 2 do
    if not is_whole(args[i]) then return refused('a number is none') end
    found[#found + 1] = {
      before(keys[1], args[i], args[i + 1]),
      redis.call('ZCOUNT', keys[1], '-inf', '(' .. args[i]),
      redis.call('ZCOUNT', keys[2], '-inf', '(' .. args[i]),
    }
  end
  return found
end

-- Entries from `first` to `last` with what their ranks begin from: {first, better, better distinct, entries, details}.
-- width: of the time in front of a name.
local function rows(keys, first, last, width)
  local entries = redis.call('ZRANGE', keys[1], first, last, 'WITHSCORES')
  if #entries == 0 then return {first, 0, 0, entries, {}} end
  local members = {}
  for i = 1, #entries, 2 do members[#members + 1] = string.sub(entries[i], width + 1) end
  return {
    first,
    redis.call('ZCOUNT', keys[1], '-inf', '(' .. entries[2]),
    redis.call('ZCOUNT', keys[2], '-inf', '(' .. entries[2]),
    entries,
    redis.call('HMGET', keys[3], unpack(members)),
  }
end

-- What is wrong with the first arguments of view and whole_view, or nil.
local function page_fault(args)
  if not is_count(args[1], 2 ^ 53) or not is_count(args[2], MOST_ROWS) then return 'offset or limit is none' end
  if not is_count(args[4], MOST_ROWS) or not (args[5] == '0' or args[5] == tostring(TIE)) then
    return 'k or the width of a time is none'
  end
end

-- A whole page in one call. keys: ranking, distinct, details, ties; args: offset, limit, member or '', k, width of a time
-- Gives {count, rows} and, where the member stands, {.., {stored, position, better, better distinct}, rows around}.
local function view(keys, args)
  if #keys ~= 4 or #args ~= 5 then return refused('view takes 4 keys and 5 arguments') end
  local fault = page_fault(args)
  if fault then return refused(fault) end
  local offset, limit, k, width = tonumber(args[1]), tonumber(args[2]), tonumber(args[4]), tonumber(args[5])
  local answer = {redis.call('ZCARD', keys[1]), rows(keys, offset, offset + limit - 1, width)}
  local name = args[3]
  local tied = name ~= '' and width > 0 and redis.call('HGET', keys[4], name)
  if tied then name = select(2, split(tied)) .. name end
  local position = name ~= '' and redis.call('ZRANK', keys[1], name)
  if position then
    local stored = redis.call('ZSCORE', keys[1], name)
    answer[3] = {
      tied or stored, position,
      redis.call('ZCOUNT', keys[1], '-inf', '(' .. stored),
      redis.call('ZCOUNT', keys[2], '-inf', '(' .. stored),
    }
    answer[4] = rows(keys, math.max(0, position - k), position + k, width)
  end
  return answer
end

-- Boards whose parts lie on this server together. A part here: {ranking, distinct, ties}; `counted`: of how many of them
-- the distinct numbers add up (1 where all share one directory).

-- How many entries stand before (number, name): by part, and of all parts; with a better number, and better distinct
-- numbers, of all parts.
local function whole_place(parts, counted, number, name)
  local befores, position, better, distinct = {}, 0, 0, 0
  for i, part in ipairs(parts) do
    befores[i] = before(part[1], number, name)
    position = position + befores[i]
    better = better + redis.call('ZCOUNT', part[1], '-inf', '(' .. number)
    if i <= counted then distinct = distinct + redis.call('ZCOUNT', part[2], '-inf', '(' .. number) end
  end
  return befores, position, better, distinct
end

-- Where to begin in each part so that `target` of the merged order is at most NEAR entries further on, and how many.
-- Looks at the entry that should lie a little before it, as far as the parts are alike, and halves where they are not.
local NEAR = 32
local function starts_at(parts, target)
  local low, high, lows, highs = {}, {}, 0, 0
  for i, part in ipairs(parts) do
    low[i], high[i] = 0, redis.call('ZCARD', part[1])
    highs = highs + high[i]
  end
  local step = 0
  while target - lows > NEAR and highs > lows do
    step = step + 1
    local widest = 1
    for i = 2, #parts do
      if high[i] - low[i] > high[widest] - low[widest] then widest = i end
    end
    local share = step % 3 == 0 and 0.5 or (target - NEAR / 2 - lows) / (highs - lows)
    local guess = low[widest] + math.floor((high[widest] - low[widest]) * share)
    guess = math.max(low[widest], math.min(high[widest] - 1, guess))
    local pivot = redis.call('ZRANGE', parts[widest][1], guess, guess, 'WITHSCORES')
    local befores, total = {}, 0
    for i, part in ipairs(parts) do
      befores[i] = i == widest and guess or before(part[1], pivot[2], pivot[1])
      total = total + befores[i]
    end
    lows, highs = 0, 0
    for i = 1, #parts do
      if total <= target then
        low[i] = math.max(low[i], befores[i])
        if i == widest and total < target then low[i] = math.max(low[i], guess + 1) end
      else
        high[i] = math.min(high[i], befores[i])
      end
      lows, highs = lows + low[i], highs + high[i]
    end
  end
  return low, target - lows
end

-- `limit` entries of the merged order after `skip`, of what lies in each part from its start on: {number, name, part}.
local function merged(parts, starts, skip, limit)
  local found, heads = {}, {}
  local size = math.ceil((skip + limit) / #parts) + 8 -- fetched at a time: about what a part gives
  local function fill(i)
    local head = heads[i]
    head.entries = redis.call('ZRANGE', parts[i][1], head.from, head.from + size - 1, 'WITHSCORES')
    head.from, head.at = head.from + size, 1
    head.number = tonumber(head.entries[2])
  end
  for i = 1, #parts do
    heads[i] = {from = starts[i]}
    fill(i)
  end
  for taken = 1, skip + limit do
    local best
    for i = 1, #parts do
      local head = heads[i]
      if head.number then
        local other = best and heads[best]
        if not other or head.number < other.number or (head.number == other.number
          and precedes(head.entries[head.at], other.entries[other.at])) then best = i end
      end
    end
    if not best then break end
    local head = heads[best]
    if taken > skip then found[#found + 1] = {head.entries[head.at + 1], head.entries[head.at], best} end
    head.at = head.at + 2
    if head.at > size * 2 then
      fill(best)
    else
      head.number = tonumber(head.entries[head.at + 1])
    end
  end
  return found
end

-- The same where the parts follow each other: `limit` entries from `offset` on.
local function in_a_row(parts, offset, limit)
  local found, passed = {}, 0
  for i, part in ipairs(parts) do
    local size = redis.call('ZCARD', part[1])
    local first, last = math.max(0, offset - passed), offset + limit - 1 - passed
    if first < size and last >= 0 then
      local entries = redis.call('ZRANGE', part[1], first, last, 'WITHSCORES')
      for at = 1, #entries, 2 do found[#found + 1] = {entries[at + 1], entries[at], i} end
    end
    passed = passed + size
  end
  return found
end

-- What is remembered of these names, of which homes[part of the entry] knows, or one of all homes; '' for nothing.
local function remembered_of(homes, entries, width, at_home)
  local names, details = {}, {}
  for at, entry in ipairs(entries) do
    names[at], details[at] = string.sub(entry[2], width + 1), false
  end
  for i, home in ipairs(homes) do
    if #names > 0 and redis.call('EXISTS', home) == 1 then
      local known = redis.call('HMGET', home, unpack(names))
      for at, entry in ipairs(entries) do
        if not at_home or entry[3] == i then details[at] = known[at] or details[at] end
      end
    end
  end
  return details
end

-- As `rows`, of entries that follow each other.
local function whole_rows(parts, homes, counted, entries, position, width, at_home)
  if #entries == 0 then return {position, 0, 0, {}, {}} end
  local flat = {}
  for _, entry in ipairs(entries) do
    flat[#flat + 1] = entry[2]
    flat[#flat + 1] = entry[1]
  end
  local better, distinct = 0, 0
  for i, part in ipairs(parts) do
    better = better + redis.call('ZCOUNT', part[1], '-inf', '(' .. entries[1][1])
    if i <= counted then distinct = distinct + redis.call('ZCOUNT', part[2], '-inf', '(' .. entries[1][1]) end
  end
  return {position, better, distinct, flat, remembered_of(homes, entries, width, at_home)}
end

-- `view` of a board in several parts. keys: ranking, distinct, ties of each part, then details of each home
-- args: offset, limit, member or '', k, width of a time, how many parts, in a row 0/1, how many distinct add up
-- In a row: members stand in parts by their scores, else in their home. Answers as `view`.
local function whole_view(keys, args)
  local fault = #args ~= 8 and 'whole_view takes 8 arguments' or page_fault(args)
  if not fault and not (is_count(args[6], #keys / 3) and args[6] ~= '0' and is_flag(args[7]) and is_count(args[8], 1e6))
  then
    fault = 'how many parts is none'
  end
  if fault then return refused(fault) end
  local offset, limit, k, width = tonumber(args[1]), tonumber(args[2]), tonumber(args[4]), tonumber(args[5])
  local count, row, counted = tonumber(args[6]), args[7] == '1', tonumber(args[8])
  local parts, homes, members = {}, {}, 0
  for i = 1, count do
    parts[i] = {keys[3 * i - 2], keys[3 * i - 1], keys[3 * i]}
    members = members + redis.call('ZCARD', parts[i][1])
  end
  for i = 3 * count + 1, #keys do homes[#homes + 1] = keys[i] end
  local page = {}
  if offset < members then
    if row then
      page = in_a_row(parts, offset, limit)
    else
      local starts, skip = starts_at(parts, offset)
      page = merged(parts, starts, skip, limit)
    end
  end
  local answer = {members, whole_rows(parts, homes, counted, page, offset, width, not row)}
  if args[3] == '' then return answer end
  local stored, name
  for _, part in ipairs(parts) do
    local tied = width > 0 and redis.call('HGET', part[3], args[3])
    local here = tied and select(2, split(tied)) .. args[3] or args[3]
    local number = redis.call('ZSCORE', part[1], here)
    if number and (not stored or tonumber(number) < tonumber((split(stored)))) then
      stored, name = tied or text(number), here
    end
  end
  if not stored then return answer end
  local number = text((split(stored)))
  local befores, position, better, distinct = whole_place(parts, counted, number, name)
  answer[3] = {stored, position, better, distinct}
  local starts, skip, first = {}, 0, math.max(0, position - k)
  for i = 1, count do
    starts[i] = math.max(0, befores[i] - k)
    skip = skip + befores[i] - starts[i]
  end
  local near = merged(parts, starts, math.max(0, skip - k), position + k + 1 - first)
  answer[4] = whole_rows(parts, homes, counted, near, first, width, not row)
  return answer
end

redis.register_function('pb_@version@_apply', apply)
redis.register_function('pb_@version@_put', put)
redis.register_function('pb_@version@_publish', publish)
redis.register_function('pb_@version@_amend', amend)
redis.register_function('pb_@version@_count', count)
redis.register_function{function_name = 'pb_@version@_whole', callback = whole, flags = {'no-writes'}}
redis.register_function{function_name = 'pb_@version@_places', callback = places, flags = {'no-writes'}}
redis.register_function{function_name = 'pb_@version@_view', callback = view, flags = {'no-writes'}}
redis.register_function{function_name = 'pb_@version@_whole_view', callback = whole_view, flags = {'no-writes'}}
