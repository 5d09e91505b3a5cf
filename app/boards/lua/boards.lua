#!lua name=pressbox_boards_@version@
-- The atomic steps of a board, for one part of it (a hash shard or a score range). What they promise is written in
-- docs/decisions/0010-boards.md and app/boards/rules.py; tests/boards/plain.py says the same in plain Python.
-- A stored value is the negated composite: smaller ranks higher. Numbers travel as decimal text.

local function text(number) return string.format('%.0f', number + 0) end -- + 0: never '-0'

-- By bytes, as sorted sets order members: Lua's own `<` would go by the locale of the server.
local function precedes(a, b)
  for i = 1, math.min(#a, #b) do
    local left, right = string.byte(a, i), string.byte(b, i)
    if left ~= right then return left < right end
  end
  return #a < #b
end

-- Puts a member at a stored value, or takes it away (nil). Keeps the distinct values where they are wanted.
local function place(keys, dense, member, stored)
  local ranking, distinct, counts = keys[1], keys[2], keys[3]
  local held = redis.call('ZSCORE', ranking, member)
  held = held and tonumber(held)
  if held == stored or (not held and not stored) then return false end
  if stored then redis.call('ZADD', ranking, text(stored), member) else redis.call('ZREM', ranking, member) end
  if dense then
    if held and redis.call('HINCRBY', counts, text(held), -1) == 0 then
      redis.call('HDEL', counts, text(held))
      redis.call('ZREM', distinct, text(held))
    end
    if stored and redis.call('HINCRBY', counts, text(stored), 1) == 1 then
      redis.call('ZADD', distinct, text(stored), text(stored))
    end
  end
  return true
end

-- What a member holds after one more attempt: the new stored value and the time it rests on, or an outcome.
-- held: the stored value so far or nil; rests: "at event" of it, under `latest` alone.
local function aggregate(aggregation, bits, limit, held, rests, score, second, at, event)
  local unit = 2 ^ bits
  if math.abs(score) > limit then return nil, 'out_of_range' end
  local stored = -(score * unit + unit - 1 - second)
  if not held then return stored end
  if aggregation == 'highest' then
    if stored < held then return stored end
  elseif aggregation == 'sum' then
    local total = math.floor(-held / unit) + score
    if math.abs(total) > limit then return nil, 'out_of_range' end
    local last = unit - 1 - (-held) % unit
    return -(total * unit + unit - 1 - math.max(last, second))
  elseif not rests then
    return stored
  else
    local space = string.find(rests, ' ', 1, true)
    local held_at, held_event = tonumber(string.sub(rests, 1, space - 1)), string.sub(rests, space + 1)
    if at > held_at or (at == held_at and precedes(held_event, event)) then return stored end
  end
  return nil, 'unchanged'
end

-- keys: ranking, distinct, counts, seen, rests
-- args: aggregation, dense 0/1, tie bits, limit, member, event, score, second, at (microseconds)
-- Gives {outcome, stored value now or '', stored value before or ''}.
local function apply(keys, args)
  local aggregation, dense, bits, limit = args[1], args[2] == '1', tonumber(args[3]), tonumber(args[4])
  local member, event = args[5], args[6]
  local held = redis.call('ZSCORE', keys[1], member)
  if redis.call('HEXISTS', keys[4], event) == 1 then return {'seen', held or '', held or ''} end
  local rests = aggregation == 'latest' and redis.call('HGET', keys[5], member)
  local stored, refused = aggregate(
    aggregation, bits, limit, held and tonumber(held), rests, tonumber(args[7]), tonumber(args[8]), tonumber(args[9]), event)
  if refused == 'out_of_range' then return {refused, held or '', held or ''} end
  redis.call('HSET', keys[4], event, '1')
  if refused then return {refused, held, held} end
  if aggregation == 'latest' then redis.call('HSET', keys[5], member, args[9] .. ' ' .. event) end
  local moved = place(keys, dense, member, stored)
  return {moved and 'counted' or 'unchanged', text(stored), held or ''}
end

-- keys: ranking, distinct, counts, seen, rests
-- args: dense 0/1, then member, stored value or '' to remove, "at event" or '' ... Gives how many moved.
local function put(keys, args)
  local moved, some_rest = 0, redis.call('EXISTS', keys[5]) == 1
  for i = 2, #args, 3 do
    local member, stored, rests = args[i], args[i + 1], args[i + 2]
    if place(keys, args[1] == '1', member, stored ~= '' and tonumber(stored) or nil) then moved = moved + 1 end
    if rests ~= '' then
      redis.call('HSET', keys[5], member, rests)
    elseif some_rest then
      redis.call('HDEL', keys[5], member)
    end
  end
  return moved
end

-- Whole table or nothing, and never an older one over a newer: two writers may arrive in either order.
-- keys: ranking, distinct, counts, version; args: dense 0/1, version, then member, stored value ...
local function publish(keys, args)
  if tonumber(args[2]) < tonumber(redis.call('GET', keys[4]) or '0') then return 0 end
  redis.call('DEL', keys[1], keys[2], keys[3])
  for i = 3, #args, 2 do place(keys, args[1] == '1', args[i], tonumber(args[i + 1])) end
  redis.call('SET', keys[4], args[2])
  return 1
end

-- The next version of a published table by what changed alone; 0 unless the version just before it is held.
-- keys and args: as for publish
local function amend(keys, args)
  if tonumber(redis.call('GET', keys[4]) or '-1') ~= tonumber(args[2]) - 1 then return 0 end
  for i = 3, #args, 2 do place(keys, args[1] == '1', args[i], tonumber(args[i + 1])) end
  redis.call('SET', keys[4], args[2])
  return 1
end

-- How many entries stand before (stored, member) in the order, whether or not it is one of them.
local function before(ranking, stored, member)
  local low = redis.call('ZCOUNT', ranking, '-inf', '(' .. stored)
  local high = redis.call('ZCOUNT', ranking, '-inf', stored)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if precedes(redis.call('ZRANGE', ranking, middle, middle)[1], member) then low = middle + 1 else high = middle end
  end
  return low
end

-- keys: ranking, distinct; args: stored, member, ... Gives for each {entries before, entries with a better value,
-- better distinct values}.
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
local function rows(keys, first, last)
  local entries = redis.call('ZRANGE', keys[1], first, last, 'WITHSCORES')
  if #entries == 0 then return {first, 0, 0, entries, {}} end
  local members = {}
  for i = 1, #entries, 2 do members[#members + 1] = entries[i] end
  return {
    first,
    redis.call('ZCOUNT', keys[1], '-inf', '(' .. entries[2]),
    redis.call('ZCOUNT', keys[2], '-inf', '(' .. entries[2]),
    entries,
    redis.call('HMGET', keys[3], unpack(members)),
  }
end

-- A whole page in one call. keys: ranking, distinct, details; args: offset, limit, member or '', k
-- Gives {count, rows} and, where the member stands, {.., {stored, position, better, better distinct}, rows around}.
local function view(keys, args)
  local offset, limit, k = tonumber(args[1]), tonumber(args[2]), tonumber(args[4])
  local answer = {redis.call('ZCARD', keys[1]), rows(keys, offset, offset + limit - 1)}
  local position = args[3] ~= '' and redis.call('ZRANK', keys[1], args[3])
  if position then
    local stored = redis.call('ZSCORE', keys[1], args[3])
    answer[3] = {
      stored, position,
      redis.call('ZCOUNT', keys[1], '-inf', '(' .. stored),
      redis.call('ZCOUNT', keys[2], '-inf', '(' .. stored),
    }
    answer[4] = rows(keys, math.max(0, position - k), position + k)
  end
  return answer
end

redis.register_function('pb_@version@_apply', apply)
redis.register_function('pb_@version@_put', put)
redis.register_function('pb_@version@_publish', publish)
redis.register_function('pb_@version@_amend', amend)
redis.register_function{function_name = 'pb_@version@_places', callback = places, flags = {'no-writes'}}
redis.register_function{function_name = 'pb_@version@_view', callback = view, flags = {'no-writes'}}
