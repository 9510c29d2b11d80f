import { cutText } from '../../../text/cut-text.js';
import { asList, type Json, textIn } from '../../../text/is-object.js';
import { jsonFields } from '../../../text/json-values.js';
import type { ToolAnswer } from '../tool-source.js';

/**
 * The result of `tools/call` as text for a model, at most `maxChars` long. Images and audio are
 * only named. Takes anything: a server may send what the protocol does not know.
 */
export function answerOf(result: unknown, maxChars: number): ToolAnswer {
  const { content, structuredContent, isError } = jsonFields(result);
  const blocks = asList(content).map(jsonFields);
  const said = joined(blocks.map(blockText), maxChars);
  const text =
    structuredContent === undefined || blocks.some(({ type }) => type === 'text')
      ? said
      : [said, cutResult(JSON.stringify(structuredContent), maxChars)].filter(Boolean).join('\n');
  return { text: cutResult(text, maxChars), isError: isError === true };
}

/** Stops where it is long enough to be cut. */
function joined(texts: readonly string[], maxChars: number): string {
  let text = '';
  for (const [place, next] of texts.entries()) {
    text += place === 0 ? next : `\n${next}`;
    if (text.length > maxChars) break;
  }
  return text;
}

function blockText(block: Json): string {
  switch (block.type) {
    case 'text':
      return textIn(block.text);
    case 'image':
    case 'audio':
      return `[${block.type} ${shortOf(block.mimeType)}]`;
    case 'resource': {
      const { uri, mimeType, text } = jsonFields(block.resource);
      return typeof text === 'string' ? text : `[resource ${shortOf(uri)} ${shortOf(mimeType)}]`;
    }
    case 'resource_link':
      return `[resource ${shortOf(block.name)} ${shortOf(block.uri)}]`;
    default:
      return '[content of an unknown type]';
  }
}

const maxShortLength = 500;
function shortOf(value: unknown): string {
  const text = textIn(value);
  return text.length > maxShortLength ? 'too long to show' : text;
}

/** A text that is not longer than `max` characters, with a note for the model if it was cut. */
function cutResult(text: string, max: number): string {
  if (text.length <= max) return text;
  const total = text.length.toLocaleString('en');
  return `${cutText(text, max)}\n[cut: the result has ${total} characters]`;
}
