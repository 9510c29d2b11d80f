import { decodeText } from './decode-text.js';
import { feedText } from './feed-text.js';
import { htmlText } from './html-text.js';
import { pdfText } from './pdf-text.js';
import { plainText } from './plain-text.js';
import type { ExtractionMessage, ExtractionTask } from './task.js';

/** Finds the text of a document, in the thread. Never rejects. */
export async function runExtraction(
  task: ExtractionTask,
  say: (message: ExtractionMessage) => void,
): Promise<void> {
  try {
    await extract(task, say);
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

async function extract(
  task: ExtractionTask,
  say: (message: ExtractionMessage) => void,
): Promise<void> {
  if (task.kind === 'pdf') {
    say({ kind: 'end', page: await pdfText(task, (page) => say({ kind: 'partial', page })) });
    return;
  }
  const text = decodeText(task.bytes, task.charset, task.kind !== 'text');
  if (task.kind === 'text') {
    say({ kind: 'end', page: plainText(text, task.limits) });
  } else if (task.kind === 'xml') {
    say({ kind: 'end', page: feedText(text, task) });
  } else {
    say({
      kind: 'end',
      page: await htmlText(text, task, (page) => say({ kind: 'partial', page })),
    });
  }
}
