import { decodeText } from './decode-text.js';
import { feedText } from './feed-text.js';
import { htmlText } from './html-text.js';
import { pdfText } from './pdf-text.js';
import { plainText } from './plain-text.js';
import type { ExtractedText, ExtractionMessage, ExtractionTask } from './task.js';

/** Finds the text of a document, in the thread. Never rejects. */
export async function runExtraction(
  task: ExtractionTask,
  say: (message: ExtractionMessage) => void,
): Promise<void> {
  try {
    const page = await extracted(task, (partial) => say({ kind: 'partial', page: partial }));
    say({ kind: 'end', page });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    say({ kind: 'failed', reason: reasons[name] ?? 'it is damaged', detail: message });
  }
}

/** By the names of the parsers' errors, and of ours. */
const reasons: Record<string, string> = {
  PasswordException: 'it needs a password',
  NoTextError: 'it has no text',
};

function extracted(
  task: ExtractionTask,
  onPartial: (page: ExtractedText) => void,
): ExtractedText | Promise<ExtractedText> {
  if (task.kind === 'pdf') return pdfText(task, onPartial);
  const text = decodeText(task.bytes, task.charset, task.kind !== 'text');
  if (task.kind === 'text') return plainText(text, task.limits);
  return task.kind === 'xml' ? feedText(text, task) : htmlText(text, task, onPartial);
}
