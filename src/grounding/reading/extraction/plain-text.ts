import { cutText } from '../../../text/cut-text.js';
import type { ExtractedText, ExtractionLimits } from './task.js';

/** Characters that people do not see and models read: controls, hiding marks, Unicode's tags. */
const invisible =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text without characters that people do not see. */
export const visible = (text: string): string => text.replace(invisible, '');

/** The text of a document that is text already. */
export function plainText(document: string, { maxTextLength }: ExtractionLimits): ExtractedText {
  const text = visible(document.replace(/\r\n?/g, '\n')).trim();
  return {
    text: cutText(text, maxTextLength),
    title: null,
    publishedAt: null,
    isTruncated: text.length > maxTextLength,
  };
}
