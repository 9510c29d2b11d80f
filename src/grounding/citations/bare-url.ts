import type { AnswerSources } from '../source.js';
import { type LinkTarget, linkTarget, maxUrlLength } from './link-target.js';

/** A URL that stands in the text as it is. */
export interface BareUrl {
  readonly target: LinkTarget;
  /** The place after it. */
  readonly end: number;
  /** Whether a letter follows that some programs would add to the URL. */
  readonly needsSpace: boolean;
  /** Whether it goes on, beyond what is looked at. */
  readonly isCut: boolean;
}

/** Characters that end a URL, among them the Markdown around it. */
export const bareUrlEnd =
  /[\u0000-\u0020\u007f-\u00a0\u2000-\u206f\u3000-\u303f\uff01-\uff0f\uff1a-\uff1f<>"`|[\]{}^]/g;

const opensHost = /^(?:https?|ftp):\/\/\[[0-9a-f:.]{2,45}\]/i;

/** The place after the characters that can belong to a URL; the end of the text if nothing ends it. */
function endOfRun(text: string, at: number): number {
  // an IPv6 address stands in brackets
  const host = opensHost.exec(text.slice(at, at + 64));
  bareUrlEnd.lastIndex = at + (host?.[0].length ?? 0);
  const found = bareUrlEnd.exec(text);
  return found?.index ?? text.length;
}

/** Without trailing punctuation, as renderers cut it: a closing bracket stays if one was opened. */
function trimEnd(run: string): string {
  let end = run.length;
  let open = 0;
  for (const character of run) open += character === '(' ? 1 : character === ')' ? -1 : 0;
  for (; end > 0; end--) {
    const last = run[end - 1]!;
    if (last === ')' && open < 0) open++;
    else if (!/[.,;:!?'*_~\\]/.test(last)) break;
  }
  return run.slice(0, end);
}

/**
 * Reads the URL that begins at a place of the text with `http://`, `https://`, `ftp://` or `www.`.
 * @returns null while its end is not known
 */
export function bareUrlAt(
  text: string,
  at: number,
  isWhole: boolean,
  sources: AnswerSources,
): BareUrl | null {
  const runEnd = endOfRun(text.slice(0, at + maxUrlLength + 1), at);
  const isCut = runEnd - at > maxUrlLength;
  if (runEnd === text.length && !isCut && !isWhole) return null;
  const run = text.slice(at, runEnd);
  const trimmed = trimEnd(run);
  if (isCut) {
    const host = linkTarget(trimmed, noSources, false);
    return { target: host, end: runEnd, needsSpace: false, isCut };
  }
  for (const url of spellings(run, trimmed)) {
    const target = linkTarget(url, sources, false);
    const end = at + url.length;
    const needsSpace = end < runEnd && text.charCodeAt(end) > 127;
    if (target.kind === 'known') return { target, end, needsSpace, isCut };
  }
  const target = linkTarget(trimmed, sources, false);
  return { target, end: at + trimmed.length, needsSpace: false, isCut };
}

const noSources: AnswerSources = {
  byId: () => undefined,
  byUrl: () => undefined,
  isKnown: () => false,
};

/** Which parts of the run may be the URL; text of scripts without spaces may follow it at once. */
function spellings(run: string, trimmed: string): readonly string[] {
  const ascii = /^[!-~]+/.exec(run)?.[0] ?? run;
  return [...new Set([run, trimmed, trimEnd(ascii)])];
}
