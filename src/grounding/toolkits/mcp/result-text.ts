import { cutResult, wholeCharacters } from '../cut-result.js';
import type { ToolAnswer } from '../tool-source.js';

/**
 * The result of `tools/call` as text for a model, at most `maxChars` long. Images and audio are
 * only named. Takes anything: a server may send what the protocol does not know.
 */
export function answerOf(result: unknown, maxChars: number): ToolAnswer {
  const { content, structuredContent, isError } = objectOf(result);
  const texts = Array.isArray(content) ? content.map((block: unknown) => textOf(block)) : [];
  const said = joined(texts, maxChars);
  const hasText =
    Array.isArray(content) && content.some((block) => objectOf(block).type === 'text');
  const text =
    hasText || structuredContent === undefined
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

function textOf(written: unknown): string {
  const block = objectOf(written);
  switch (block.type) {
    case 'text':
      return stringOf(block.text);
    case 'image':
    case 'audio':
      return `[${block.type} ${shortOf(block.mimeType)}]`;
    case 'resource': {
      const { uri, mimeType, text } = objectOf(block.resource);
      return typeof text === 'string' ? text : `[resource ${shortOf(uri)} ${shortOf(mimeType)}]`;
    }
    case 'resource_link':
      return `[resource ${shortOf(block.name)} ${shortOf(block.uri)}]`;
    default:
      return '[content of an unknown type]';
  }
}

const maxShortLength = 500;
const shortOf = (value: unknown): string => wholeCharacters(stringOf(value), maxShortLength);
const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value if it is an object; an empty one otherwise. */
function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
