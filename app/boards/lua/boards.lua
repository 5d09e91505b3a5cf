#!lua name=pressbox_boards_@version@
-- The atomic steps of a board, for one part of it (a hash shard or a score range). What they promise is written in
-- docs/decisions/0010-boards.md and app/boards/rules.py; tests/boards/plain.py says the same in plain Python.
-- A stored value travels as text: the negated score, and where times decide ties a colon and the time, always as wide
-- ('-7:00000000000ff'). A sorted set holds the number, and the member with the time in front of the name. Numbers travel
-- as decimal text.

local function text(number) return string.format('%.0f', number + 0) end -- + 0: never '-0'

-- A stored value of its number and its time ('' where there is none), and the two of it.
local function joined(number, tie) return tie == '' and text(number) or text(number) .. ':' .. tie end
local function split(stored)
  local colon = string.find(stored, ':', 1, true)
  if not colon then return tonumber(stored), '' end
  return tonumber(string.sub(stored, 1, colon - 1)), string.sub(stored, colon + 1)
end

-- By bytes, as sorted sets order members: Lua's own `<` would go by the locale of the server.
local function precedes(a, b)
  for i = 1, math.min(#a, #b) do
    local left, right = string.byte(a, i), string.byte(b, i)
    if left ~= right then return left < right end
  end
  return #a < #b
end

-- What the part holds of a member as a stored value, or nil. keys: as of place
local function held_of(keys, member)
  local number = redis.call('ZSCORE', keys[1], member)
  return number and text(number) or redis.call('HGET', keys[5], member) or nil
end

-- Counts that something has changed, by which a remembered look at the part (app/core/stamps.py) ends.
local function note_change(ranking) redis.call('INCR', ranking .. ':changed') end

-- Puts a member at a stored value, or takes it away (nil). Keeps the distinct numbers where they are wanted.
-- keys: ranking, distinct, counts, size, ties
local function place(keys, dense, member, stored)
  local ranking, distinct, counts, size, ties = keys[1], keys[2], keys[3], keys[4], keys[5]
  local held = held_of(keys, member)
  if held == stored then return false end
  note_change(ranking)
  local number, tie, held_number, held_tie
  if stored then number, tie = split(stored) end
  if held then held_number, held_tie = split(held) end
  if held and (not stored or held_tie ~= tie) then redis.call('ZREM', ranking, held_tie .. member) end
  if stored then redis.call('ZADD', ranking, text(number), tie .. member) end
  if stored and tie ~= '' then
    redis.call('HSET', ties, member, stored)
  elseif held and held_tie ~= '' then
    redis.call('HDEL', ties, member)
  end
  -- Counted only where it was counted from the beginning: a part that lost everything must not seem whole again.
  if (not held or not stored) and redis.call('EXISTS', size) == 1 then redis.call('INCRBY', size, held and -1 or 1) end
  if dense then
    if held and redis.call('HINCRBY', counts, text(held_number), -1) == 0 then
      redis.call('HDEL', counts, text(held_number))
      redis.call('ZREM', distinct, text(held_number))
    end
    if stored and redis.call('HINCRBY', counts, text(number), 1) == 1 then
      redis.call('ZADD', distinct, text(number), text(number))
    end
  end
  return true
end

-- What a member holds after one more attempt: the new stored value, or nil and an outcome.
-- held: the stored value so far or nil; rests: "at event" of it, under `latest` alone; tie: '' where times decide none.
local function aggregate(aggregation, limit, held, rests, score, tie, at, event)
  if math.abs(score) > limit then return nil, 'out_of_range' end
  local stored = joined(-score, tie)
  if not held then return stored end
  local held_number, held_tie = split(held)
  if aggregation == 'highest' then
    if -score < held_number or (-score == held_number and precedes(tie, held_tie)) then return stored end
  elseif aggregation == 'sum' then
    local total = score - held_number
    if math.abs(total) > limit then return nil, 'out_of_range' end
    return joined(-total, precedes(held_tie, tie) and tie or held_tie)
  elseif not rests then
    return stored
  else
    local space = string.find(rests, ' ', 1, true)
    local held_at, held_event = tonumber(string.sub(rests, 1, space - 1)), string.sub(rests, space + 1)
    if at > held_at or (at == held_at and precedes(held_event, event)) then return stored end
  end
  return nil, 'unchanged'
end

-- keys: ranking, distinct, counts, size, ties, seen, rests
-- args: aggregation, dense 0/1, limit, member, event, score, tie or '', at (microseconds)
-- Gives {outcome, stored value now or '', stored value before or ''}.
local function apply(keys, args)
  local aggregation, dense, member, event = args[1], args[2] == '1', args[4], args[5]
  local held = held_of(keys, member)
  if redis.call('HEXISTS', keys[6], event) == 1 then return {'seen', held or '', held or ''} end
  local rests = aggregation == 'latest' and redis.call('HGET', keys[7], member)
  local stored, refused = aggregate(
    aggregation, tonumber(args[3]), held, rests, tonumber(args[6]), args[7], tonumber(args[8]), event)
  if refused == 'out_of_range' then return {refused, held or '', held or ''} end
  redis.call('HSET', keys[6], event, '1')
  if refused then return {refused, held, held} end
  if aggregation == 'latest' then redis.call('HSET', keys[7], member, args[8] .. ' ' .. event) end
  local moved = place(keys, dense, member, stored)
  return {moved and 'counted' or 'unchanged', stored, held or ''}
end

-- keys: as of apply
-- args: dense 0/1, then member, stored value or '' to remove, "at event" or '' ... Gives how many moved.
local function put(keys, args)
  local moved, some_rest = 0, redis.call('EXISTS', keys[7]) == 1
  for i = 2, #args, 3 do
    local member, stored, rests = args[i], args[i + 1], args[i + 2]
    if place(keys, args[1] == '1', member, stored ~= '' and stored or nil) then moved = moved + 1 end
    if rests ~= '' then
      redis.call('HSET', keys[7], member, rests)
    elseif some_rest then
      redis.call('HDEL', keys[7], member)
    end
  end
  return moved
end

-- Whole table or nothing, and never an older one over a newer: two writers may arrive in either order.
-- keys: ranking, distinct, counts, size, ties, version; args: dense 0/1, version, then member, stored value ...
local function publish(keys, args)
  if tonumber(args[2]) < tonumber(redis.call('GET', keys[6]) or '0') then return 0 end
  redis.call('DEL', keys[1], keys[2], keys[3], keys[5])
  redis.call('SET', keys[4], '0')
  note_change(keys[1])
  for i = 3, #args, 2 do place(keys, args[1] == '1', args[i], args[i + 1]) end
  redis.call('SET', keys[6], args[2])
  return 1
end

-- The next version of a published table by what changed alone; 0 unless the version just before it is held.
-- keys and args: as for publish
local function amend(keys, args)
  if tonumber(redis.call('GET', keys[6]) or '-1') ~= tonumber(args[2]) - 1 then return 0 end
  for i = 3, #args, 2 do place(keys, args[1] == '1', args[i], args[i + 1]) end
  redis.call('SET', keys[6], args[2])
  return 1
end

-- Whether the part still holds all that was written to it: {members, 'whole' | 'lost' | 'uncounted'}.
-- keys: as of apply; args: dense 0/1, latest 0/1, tied 0/1
local function whole(keys, args)
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
  local found = {}
  for i = 1, #args, 2 do
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

-- A whole page in one call. keys: ranking, distinct, details, ties; args: offset, limit, member or '', k, width of a time
-- Gives {count, rows} and, where the member stands, {.., {stored, position, better, better distinct}, rows around}.
local function view(keys, args)
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
    if number and (not stored or tonumber(number) < (split(stored))) then
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
