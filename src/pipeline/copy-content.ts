import type { AnswerWriter } from '../dispatch/answer-writer.js';
import { keepText } from '../telemetry/requests/kept-content.js';
import type { RequestContext } from '../http/context.js';
import type { PlannedCall } from './plan-request.js';
import { CopiedAnswer, CopyingWriter } from '../http/surfaces/copied-answer.js';

/**
 * Has messages and answer kept for the request log where the configuration asks for content. Not where the request says `store: false`, or
 * has asked for a hash of its content when its model was chosen.
 */
export function copyContent(
  writer: AnswerWriter,
  { record, runtime }: RequestContext,
  { call }: PlannedCall,
  body: unknown,
): AnswerWriter {
  if (
    !runtime?.requestLog.enabled ||
    !runtime.requestLog.content ||
    record.content?.kind === 'digest'
  )
    return writer;
  if ((body as { store?: unknown }).store === false) {
    record.content = null;
    return writer;
  }
  const copy = new CopiedAnswer();
  record.content = keepText(call.chat.messages, copy);
  return new CopyingWriter(writer, copy);
}
