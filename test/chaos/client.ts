import { setTimeout as wait } from 'node:timers/promises';
import { at, textAt } from '../helpers/json.js';
import { getStream, lastIdOf, resume } from '../helpers/resuming.js';
import { postStream, type StreamReply } from '../helpers/sse.js';
import type { ChaosRequest } from './script.js';
import { type ClientDialect, surfaces } from './surfaces.js';

/**
 * How a request ended for its client. `complete`: whole, with its end; `refused`: an error before
 * any text; `broken`: text, then an error frame; `cut`: no end, and nothing that says why; `left`:
 * the client went away.
 */
export const endings = ['complete', 'refused', 'broken', 'cut', 'left'] as const;
export type Ending = (typeof endings)[number];

export interface Outcome {
  readonly request: ChaosRequest;
  readonly ending: Ending;
  readonly text: string;
  /** The status, 0 if none came. */
  readonly status: number;
  /** Of a complete native answer whose turn is confirmed as stored. */
  readonly stored: { readonly conversationId: string; readonly messageId: string } | null;
  /** What no client may ever see, such as half a frame before a clean end. */
  readonly fault: string | null;
  /** What the error frame of a broken stream says, or how a connection was cut. */
  readonly reason: string;
  /** As `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Sends one request as its script says. Never rejects.
 * @param resumes whether clients that left may come back
 */
export async function sendRequest(
  url: string,
  key: string,
  request: ChaosRequest,
  resumes = false,
): Promise<Outcome> {
  const startedAt = performance.now();
  const leaving = new AbortController();
  const { leavesAfterMs } = request;
  const timer =
    leavesAfterMs === null ? undefined : setTimeout(() => leaving.abort(), leavesAfterMs);
  const dialect = surfaces[request.surface];
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  const sent = { url, resumes, body: dialect.body(request), headers };
  const send = (): Promise<Ended> => ask(sent, request, dialect, leaving.signal).catch(failed);
  const ended =
    resumes && request.repeats !== null
      ? await sendTwice(send, request.repeats, headers, request)
      : await send();
  clearTimeout(timer);
  return {
    request,
    stored: null,
    fault: null,
    reason: '',
    ...ended,
    startedAt,
    endedAt: performance.now(),
  };
}

interface Sent {
  url: string;
  resumes: boolean;
  body: object;
  headers: Record<string, string>;
}
type Ended = Pick<Outcome, 'ending' | 'text' | 'status'> &
  Partial<Pick<Outcome, 'stored' | 'fault' | 'reason'>>;

/** Connections that end are cuts; whatever else the strict reader objects to is a fault. */
function failed(error: unknown): Ended {
  const { code, message } = error as NodeJS.ErrnoException;
  const isCut = code === 'ECONNRESET' || code === 'ECONNREFUSED' || code === 'EPIPE';
  const fault = isCut ? null : message;
  return { ending: 'cut', text: '', status: 0, fault, reason: message };
}

/** Both get the same answer where both get one. */
async function sendTwice(
  send: () => Promise<Ended>,
  when: 'at once' | 'later',
  headers: Record<string, string>,
  { id }: ChaosRequest,
): Promise<Ended> {
  headers['idempotency-key'] = `chaos ${id}`;
  const first = send();
  if (when === 'later') await first;
  const [one, two] = await Promise.all([first, send()]);
  const areBothWhole = one.ending === 'complete' && two.ending === 'complete';
  const isSame = one.text === two.text && one.stored?.messageId === two.stored?.messageId;
  if (areBothWhole && !isSame) return { ...one, fault: 'a repeated request got another answer' };
  return two.ending === 'complete' ? two : one;
}

async function ask(
  sent: Sent,
  request: ChaosRequest,
  dialect: ClientDialect,
  signal: AbortSignal,
): Promise<Ended> {
  const first = await postStream(sent.url + dialect.path, sent.body, {
    headers: sent.headers,
    signal,
    ...(request.leavesAfterFrames === null ? {} : { abortAfterFrames: request.leavesAfterFrames }),
  });
  const reply = sent.resumes ? await comeBack(first, sent, request) : first;
  const { status, ended, json } = reply;
  const isWhole = status === 200 && !request.streams;
  if (isWhole && ended === 'end')
    return { ending: 'complete', text: dialect.whole(json), status, stored: storedAs(json) };
  const text = reply.events.map((event) => dialect.delta(event)).join('');
  if (ended === 'aborted') return { ending: 'left', text, status };
  if (status !== 200 && ended === 'end') return refusal(status, json);
  const isComplete = dialect.isComplete(reply);
  if (dialect.isFailed(reply)) {
    const fault = isComplete ? 'an error frame, and yet an end' : null;
    const reason = reply.frames.at(-1)?.data ?? '';
    return { ending: text === '' ? 'refused' : 'broken', text, status, fault, reason };
  }
  if (isComplete) return { ending: 'complete', text, status, stored: storedAs(lastOf(reply)) };
  const fault = ended === 'end' ? 'a clean end of the body without the end of the stream' : null;
  return { ending: 'cut', text, status, fault };
}

/** Reads what a stream still has, once after the client left, and whenever its replica stops. */
async function comeBack(
  first: StreamReply,
  { url, headers }: Sent,
  { surface, comesBackAfterMs, leavesAfterFrames }: ChaosRequest,
): Promise<StreamReply> {
  const isNative = surface === 'native';
  if (!(isNative || surface === 'responses') || first.status !== 200) return first;
  let reply = first;
  let leaves = leavesAfterFrames !== null && comesBackAfterMs !== null;
  if (leaves) await wait(comesBackAfterMs ?? 0);
  while (leaves || reply.frames.at(-1)?.event === 'moved') {
    leaves = false;
    const id =
      textAt(reply.events.at(-1), 'streamId') ||
      textAt(reply.events[0], 'response', 'id') ||
      String(reply.headers['responsemessageid'] ?? '');
    if (id === '') return reply;
    const lastId = lastIdOf(reply.frames);
    const after = lastId === undefined ? '' : `&starting_after=${lastId}`;
    const next = isNative
      ? await resume(url, id, { headers, lastId })
      : await getStream(`${url}/v1/responses/${id}?stream=true${after}`, { headers });
    if (next.ended === 'end' && next.status !== 200) {
      const lost = `a stream could not be resumed: ${next.status} ${next.text.slice(0, 200)}`;
      // right only where its replica was killed before it had stored anything, as for a cut
      throw Object.assign(new Error(lost), { code: 'ECONNRESET' });
    }
    const frames = [...reply.frames, ...next.frames];
    reply = { ...next, frames, events: [...reply.events, ...next.events] };
  }
  return reply;
}

const lastOf = ({ events }: StreamReply): unknown => events.at(-1);

function refusal(status: number, json: unknown): Ended {
  const isSaid = at(json, 'error') !== undefined;
  return {
    ending: 'refused',
    text: '',
    status,
    fault: isSaid ? null : 'an error without a reason',
  };
}

/** A native answer says which turn it is, and whether that is stored. */
function storedAs(json: unknown): Outcome['stored'] {
  const conversationId = textAt(json, 'conversationId');
  if (conversationId === '' || at(json, 'conversationStored') === false) return null;
  return { conversationId, messageId: textAt(json, 'responseMessageId') };
}
