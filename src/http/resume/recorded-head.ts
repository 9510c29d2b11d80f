import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RecordedAnswer } from '../../pipeline/resume/recorded-answer.js';

/** Headers that belong to one response or its connection. */
const ownHeaders =
  /^(x-request-id|request-id|x-ratelimit-.*|access-control-.*|vary|x-content-type-options|connection|keep-alive|date|transfer-encoding|set-cookie)$/i;

/** Records the status and headers of an answer, without headers of this one response. */
export function recordHead(
  recording: RecordedAnswer,
  res: ServerResponse,
  status: number,
  more: OutgoingHttpHeaders,
): void {
  const headers = { ...res.getHeaders(), ...more };
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.test(name));
  recording.head(status, Object.fromEntries(kept));
}

/** Records a whole answer. */
export function recordBody(
  recording: RecordedAnswer,
  res: ServerResponse,
  status: number,
  json: Buffer,
): void {
  recordHead(recording, res, status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': json.length,
  });
  recording.write(json.toString('latin1'));
  recording.finish();
}
