import { hash } from 'node:crypto';

/** A script that Redis runs atomically. */
export interface Script {
  readonly text: string;
  /** The SHA-1 by which Redis knows it once it is loaded. */
  readonly sha: string;
}

/** After how many ms an unused key expires: later than its numbers can matter. */
const keep = '{requests = 180000, tokens = 180000, usd_day = 172800000, usd_month = 2851200000}';

/**
 * Each subject and measure has a hash; a budget also has a sorted set `…:holds` of the ids of its
 * reservations by expiry. (A "hold" in the scripts and in stored names is a reservation.) Fields of
 * the hash:
 * - of requests and tokens: `minute` (since 1970), and the counts of that minute (`current`) and of
 *   the one before (`previous`)
 * - of budgets: `period` (days or months since 1970), `used`, `held` (the sum of the reservations),
 *   and `h:<id>` with the amount of each reservation; a hash of another period counts as absent
 * - of all: `s:<process>`, the number of the process's last settlement, so that none is applied twice
 *
 * The first argument is the time in epoch ms, or -1 for Redis's own clock, which all replicas share.
 */
const prelude = `
local function clock()
  local given = tonumber(ARGV[1])
  if given >= 0 then return given end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local now = clock()
local keep = ${keep}
local function digits(number) return string.format('%.0f', number) end
local function isBudget(measure) return measure == 'usd_day' or measure == 'usd_month' end
local function minuteOf(key)
  local minute = math.floor(now / 60000)
  local kept = redis.call('HMGET', key, 'minute', 'current', 'previous')
  local last = tonumber(kept[1])
  if last == minute or last == minute + 1 then return last, tonumber(kept[2]), tonumber(kept[3]) end
  if last == minute - 1 then return minute, 0, tonumber(kept[2]) end
  return minute, 0, 0
end
local function keepMinute(key, measure, minute, current, previous)
  redis.call('HSET', key, 'minute', digits(minute), 'current', digits(math.max(0, current)), 'previous', digits(math.max(0, previous)))
  redis.call('PEXPIRE', key, keep[measure])
end
-- either key may have been evicted without the other
local function heldBy(key, id) return tonumber(redis.call('HGET', key, 'h:' .. id)) or 0 end
local function release(key, holds, id)
  redis.call('HINCRBY', key, 'held', digits(0 - heldBy(key, id)))
  redis.call('HDEL', key, 'h:' .. id)
  redis.call('ZREM', holds, id)
end
local function hold(key, holds, measure, id, amount, expiresAt)
  redis.call('HINCRBY', key, 'held', digits(amount - heldBy(key, id)))
  redis.call('HSET', key, 'h:' .. id, amount)
  redis.call('ZADD', holds, digits(expiresAt), id)
  redis.call('PEXPIRE', holds, keep[measure])
end
`;

const calendar = `
-- months: the civil calendar, whose years begin in March here
local function periodOf(measure)
  local days = math.floor(now / 86400000)
  if measure == 'usd_day' then return digits(days) end
  local shifted = days + 719468
  local era = math.floor(shifted / 146097)
  local dayOfEra = shifted - era * 146097
  local year = math.floor((dayOfEra - math.floor(dayOfEra / 1460) + math.floor(dayOfEra / 36524) - math.floor(dayOfEra / 146096)) / 365)
  local dayOfYear = dayOfEra - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  return digits((year + era * 400 - 1970) * 12 + math.floor((5 * dayOfYear + 2) / 153) + 2)
end
`;

function script(text: string, before = prelude): Script {
  const whole = before + text;
  return { text: whole, sha: hash('sha1', whole) };
}

/**
 * Reserves for all charges or for none. Arguments: lease in ms, reservation id, then measure, limit
 * and amount of each charge. Replies the status (1 reserved, 0 refused, -1 a budget's spending is
 * not set), the time, and two numbers for each charge, as `UsedPair`, with -1 for a budget that is
 * not set.
 */
export const reserveScript = script(
  `
local lease, id = tonumber(ARGV[2]), ARGV[3]
local status, reply, minutes = 1, {1, now}, {}
for i = 1, #KEYS / 2 do
  local key, holds = KEYS[2 * i - 1], KEYS[2 * i]
  local measure, limit, amount = ARGV[3 * i + 1], tonumber(ARGV[3 * i + 2]), tonumber(ARGV[3 * i + 3])
  local first, second, used
  if isBudget(measure) then
    local kept = redis.call('HMGET', key, 'period', 'used', 'held')
    if kept[1] == periodOf(measure) then
      for _, gone in ipairs(redis.call('ZRANGEBYSCORE', holds, '-inf', digits(now))) do release(key, holds, gone) end
      first, second = tonumber(kept[2]), tonumber(redis.call('HGET', key, 'held'))
      used = first + second
    else
      first, second, status = -1, 0, -1
    end
  else
    minutes[i], first, second = minuteOf(key)
    used = first + second * (60000 - now % 60000) / 60000
  end
  if used and used + amount > limit and status == 1 then status = 0 end
  reply[2 * i + 1], reply[2 * i + 2] = first, second
end
reply[1] = status
if status ~= 1 then return reply end
for i = 1, #KEYS / 2 do
  local key, measure, amount = KEYS[2 * i - 1], ARGV[3 * i + 1], ARGV[3 * i + 3]
  if minutes[i] then keepMinute(key, measure, minutes[i], reply[2 * i + 1] + amount, reply[2 * i + 2])
  else hold(key, KEYS[2 * i], measure, id, amount, now + lease) end
end
return reply`,
  prelude + calendar,
);

/**
 * Settles a reservation. Arguments: the process, the settlement's number, the reservation's id (''
 * for none), then measure, period, reserved amount and used amount of each charge.
 */
export const settleScript = script(`
local process, number, id = 's:' .. ARGV[2], tonumber(ARGV[3]), ARGV[4]
for i = 1, #KEYS / 2 do
  local key, holds = KEYS[2 * i - 1], KEYS[2 * i]
  local measure, period, held, used = ARGV[4 * i + 1], ARGV[4 * i + 2], tonumber(ARGV[4 * i + 3]), tonumber(ARGV[4 * i + 4])
  local isNew = (tonumber(redis.call('HGET', key, process)) or 0) < number
  if isNew and isBudget(measure) then
    -- where it is not seeded, the seed will include it
    if redis.call('HGET', key, 'period') == period then
      if id ~= '' then release(key, holds, id) end
      redis.call('HINCRBY', key, 'used', digits(used))
      redis.call('HSET', key, process, digits(number))
    end
  elseif isNew then
    local minute, current, previous = minuteOf(key)
    local more = used - held
    if more > 0 or tonumber(period) == minute then current = current + more
    elseif tonumber(period) == minute - 1 then previous = previous + more end
    keepMinute(key, measure, minute, current, previous)
    redis.call('HSET', key, process, digits(number))
  end
end
return 1`);

/** Sets a budget's spending unless set. Arguments: measure, amount, period ('': now). */
export const setSpentScript = script(
  `
local period = periodOf(ARGV[2])
if (ARGV[4] ~= '' and ARGV[4] ~= period) or redis.call('HGET', KEYS[1], 'period') == period then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], 'period', period, 'used', ARGV[3], 'held', '0')
redis.call('PEXPIRE', KEYS[1], keep[ARGV[2]])
return 1`,
  prelude + calendar,
);

/**
 * Renews the reservations on one budget, and adds those that Redis has lost or let expire.
 * Arguments: lease in ms, measure, period, then id and amount of each reservation.
 */
export const renewScript = script(`
local key, holds, lease, measure = KEYS[1], KEYS[2], tonumber(ARGV[2]), ARGV[3]
if redis.call('HGET', key, 'period') ~= ARGV[4] then return 0 end
for i = 5, #ARGV, 2 do
  hold(key, holds, measure, ARGV[i], ARGV[i + 1], now + lease)
end
return 1`);

/**
 * Counts failures in a row. Arguments: 1 to count one now, else 0; for how many ms they are
 * remembered. Replies their number, the time of the last one, and the time now.
 */
export const failScript = script(`
local kept = redis.call('HMGET', KEYS[1], 'count', 'lastAt')
local count, lastAt = tonumber(kept[1]) or 0, tonumber(kept[2]) or 0
if now - lastAt >= tonumber(ARGV[3]) then count = 0 end
if ARGV[2] == '1' then
  count, lastAt = count + 1, now
  redis.call('HSET', KEYS[1], 'count', digits(count), 'lastAt', digits(lastAt))
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return {count, lastAt, now}`);

/** Adds texts to a list, oldest first. Arguments: maximum length, ms until it expires, texts. */
export const recentListScript = script(`
for i = 4, #ARGV do redis.call('LPUSH', KEYS[1], ARGV[i]) end
redis.call('LTRIM', KEYS[1], 0, ARGV[2] - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`);

/**
 * Adds an entry to the log of an answer. Arguments: after how many ms the log expires, the entry's
 * place, its first event, kind and text. An entry that was sent again after a lost connection is
 * there already.
 */
export const appendEntryScript = script(`
local added = redis.pcall('XADD', KEYS[1], ARGV[3], 'first', ARGV[4], 'kind', ARGV[5], 'text', ARGV[6])
if type(added) == 'table' and added.err and not string.find(added.err, 'equal or smaller') then return added end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`);

/**
 * For how many ms notes may still be missing that a live process has set. The key has the time at
 * which this Redis began to keep notes, or came back after it was away for long. Arguments: after how
 * many ms all live notes have been renewed; 1 if it has just come back.
 */
export const unsettledScript = script(`
local since = tonumber(redis.call('GET', KEYS[1]))
if not since or ARGV[3] == '1' then
  since = now
  redis.call('SET', KEYS[1], digits(now))
end
redis.call('PEXPIRE', KEYS[1], keep.usd_month)
return math.max(0, since + ARGV[2] - now)`);

/** Those that Redis loads when it is connected. */
export const allScripts: readonly Script[] = [
  ...[reserveScript, settleScript, setSpentScript, renewScript, failScript, recentListScript],
  ...[appendEntryScript, unsettledScript],
];
