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

-- A stored value of its number and its time ('' where there is none), and the two of it as texts.
local function joined(number, tie) return tie == '' and text(number) or text(number) .. ':' .. tie end
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

-- What the part holds of these members, by member: a stored value, or nothing. keys: as of place_all
local function held_of(keys, members)
  local held, others = {}, {}
  for i, number in ipairs(asked('ZMSCORE', keys[1], members)) do
    if not number then
      others[#others + 1] = members[i]
    else
      held[members[i]] = string.find(number, 'e', 1, true) and text(number) or number -- large ones come as 1e+16
    end
  end
  for i, stored in ipairs(asked('HMGET', keys[5], others)) do held[others[i]] = stored or nil end
  return held
end

-- Counts that something has changed, by which a cached look at the part (app/core/page_cache) ends.
local function note_change(ranking) redis.call('INCR', ranking .. ':changed') end

-- Keeps the distinct numbers: `steps` says by number how many more members have it. In the order of `numbers`.
local function count_numbers(distinct, counts, numbers, steps)
  for _, number in ipairs(numbers) do
    local step = steps[number]
    if step ~= 0 then
      local members = redis.call('HINCRBY', counts, number, step)
      if members == 0 then
        redis.call('HDEL', counts, number)
        redis.call('ZREM', distinct, number)
      elseif step > 0 and members == step then
        redis.call('ZADD', distinct, number, number)
      end
    end
  end
end

-- Puts members, each once, from what they have `held` (by member) to the stored value that they hold `now`; nothing
-- there takes them away. Gives how many moved. keys: ranking, distinct, counts, size, ties
local function place_all(keys, dense, members, held, now)
  local gone, entries, untied, tied, numbers, steps = {}, {}, {}, {}, {}, {}
  local moved, more = 0, 0
  local function step(number, by)
    if not steps[number] then numbers[#numbers + 1], steps[number] = number, 0 end
    steps[number] = steps[number] + by
  end
  for _, member in ipairs(members) do
    local before, after = held[member], now[member]
    if before ~= after then
      moved = moved + 1
      local number, tie, held_number, held_tie
      if after then
        number, tie = split(after)
        entries[#entries + 1], entries[#entries + 2] = number, tie .. member
        if tie ~= '' then tied[#tied + 1], tied[#tied + 2] = member, after end
      end
      if before then
        held_number, held_tie = split(before)
        if held_tie ~= tie then gone[#gone + 1] = held_tie .. member end
        if held_tie ~= '' and (tie or '') == '' then untied[#untied + 1] = member end
      end
      more = more + (after and 1 or 0) - (before and 1 or 0)
      if dense and before then step(held_number, -1) end
      if dense and after then step(number, 1) end
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
  count_numbers(keys[2], keys[3], numbers, steps)
  return moved
end

-- Members with what they are to hold, of groups of `width` arguments from `first` on: each once, the last value counts;
-- '' for none.
local function wanted(args, first, width)
  local members, now, known = {}, {}, {}
  for i = first, #args, width do
    if not known[args[i]] then members[#members + 1], known[args[i]] = args[i], true end
    now[args[i]] = args[i + 1] ~= '' and joined(split(args[i + 1])) or nil
  end
  return members, now
end

-- What a member holds after one more attempt: the new stored value, or nil and an outcome.
-- held: the stored value so far or nil; rests: "at event" of it, under `latest` alone; tie: '' where times decide none.
local function aggregate(aggregation, limit, held, rests, score, tie, at, event)
  if math.abs(score) > limit then return nil, 'out_of_range' end
  if not held then return joined(-score, tie) end
  local held_text, held_tie = split(held)
  local held_number = tonumber(held_text)
  if aggregation == 'highest' then
    if -score < held_number or (-score == held_number and precedes(tie, held_tie)) then return joined(-score, tie) end
  elseif aggregation == 'sum' then
    local total = score - held_number
    if math.abs(total) > limit then return nil, 'out_of_range' end
    return joined(-total, precedes(held_tie, tie) and tie or held_tie)
  elseif not rests then
    return joined(-score, tie)
  else
    local space = string.find(rests, ' ', 1, true)
    local held_at, held_event = tonumber(string.sub(rests, 1, space - 1)), string.sub(rests, space + 1)
    if at > held_at or (at == held_at and precedes(held_event, event)) then return joined(-score, tie) end
  end
  return nil, 'unchanged'
end

-- What is wrong with the keys and arguments of apply, or nil.
local function attempts_fault(keys, args)
  if #keys ~= 7 or #args < 8 or #args % 5 ~= 3 or #args > 3 + 5 * MOST_ROWS then
    return 'apply takes 7 keys, 3 arguments and at most ' .. MOST_ROWS .. ' attempts'
  end
  if not AGGREGATIONS[args[1]] then return 'no such aggregation' end
  if not is_flag(args[2]) or not is_whole(args[3]) then return 'dense or limit is none' end
  for i = 4, #args, 5 do
    if args[i] == '' or args[i + 1] == '' then return 'member or event is empty' end
    if not is_whole(args[i + 2]) or not is_tie(args[i + 3]) or not is_whole(args[i + 4]) then
      return 'score, tie or time is none'
    end
  end
end

-- Attempts one after the other, all in one step. keys: ranking, distinct, counts, size, ties, seen, rests
-- args: aggregation, dense 0/1, limit, then member, event, score, tie or '', at (microseconds) of each
-- Gives of each outcome, stored value now or '', stored value before or ''.
local function apply(keys, args)
  local fault = attempts_fault(keys, args)
  if fault then return refused(fault) end
  local aggregation, limit, latest = args[1], tonumber(args[3]), args[1] == 'latest'
  local members, events, known = {}, {}, {}
  for i = 4, #args, 5 do
    if not known[args[i]] then members[#members + 1], known[args[i]] = args[i], true end
    events[#events + 1] = args[i + 1]
  end
  local before, now, rests, seen = held_of(keys, members), {}, {}, {}
  for member, stored in pairs(before) do now[member] = stored end
  if latest then
    for i, found in ipairs(asked('HMGET', keys[7], members)) do rests[members[i]] = found or nil end
  end
  for i, mark in ipairs(asked('HMGET', keys[6], events)) do seen[events[i]] = mark or nil end
  local answers, marks, new_rests = {}, {}, {}
  for i = 4, #args, 5 do
    local member, event, at = args[i], args[i + 1], args[i + 4]
    local held, outcome, stored = now[member], 'seen', nil
    if not seen[event] then
      stored, outcome =
        aggregate(aggregation, limit, held, rests[member], tonumber(args[i + 2]), args[i + 3], tonumber(at), event)
      if outcome ~= 'out_of_range' then seen[event], marks[#marks + 1], marks[#marks + 2] = '1', event, '1' end
      if stored then
        outcome = stored == held and 'unchanged' or 'counted'
        now[member] = stored
        if latest then
          rests[member] = at .. ' ' .. event
          new_rests[#new_rests + 1], new_rests[#new_rests + 2] = member, rests[member]
        end
      end
    end
    answers[#answers + 1], answers[#answers + 2], answers[#answers + 3] = outcome, stored or held or '', held or ''
  end
  send('HSET', keys[6], marks)
  send('HSET', keys[7], new_rests)
  place_all(keys, args[2] == '1', members, before, now)
  return answers
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
  return place_all(keys, args[1] == '1', members, held_of(keys, members), now)
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
  redis.call('DEL', keys[1], keys[2], keys[3], keys[5])
  redis.call('SET', keys[4], '0')
  note_change(keys[1])
  local members, now = wanted(args, 3, 2)
  place_all(keys, args[1] == '1', members, {}, now)
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
  place_all(keys, args[1] == '1', members, held_of(keys, members), now)
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
