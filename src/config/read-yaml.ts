import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  stringify,
  visit,
  type Document,
  type YAMLError,
} from 'yaml';
import { ConfigError, type ConfigProblem, wholeError } from './problem.js';

/** A YAML file's value, and the line (from 1) of the field at a path, or of its parent. */
export interface YamlSource {
  readonly value: unknown;
  lineOf(path: readonly string[]): number;
}

const maxFileCharacters = 1 << 20;
const maxAliases = 100;

// not the parser's own messages, which quote the file and so possibly a key
const reasons: Partial<Record<YAMLError['code'], string>> = {
  ALIAS_PROPS: 'an alias cannot have an anchor or a tag',
  BAD_ALIAS: 'an alias has no valid name',
  BAD_COLLECTION_TYPE: 'a tag does not fit the value',
  BAD_DIRECTIVE: 'a line that begins with % is not a YAML directive',
  BAD_DQ_ESCAPE:
    'a text in double quotes has an unknown escape sequence; in single quotes a backslash is an ordinary character',
  BAD_INDENT: 'the indentation does not match the lines around it, or a bracket is not closed',
  BAD_SCALAR_START: 'a string begins with a character that is special in YAML; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a mapping begins in the middle of a line; is the indentation right, or are quotes missing?',
  BLOCK_IN_FLOW: 'an indented block is not allowed inside { } or [ ]',
  DUPLICATE_KEY: 'the key is defined twice',
  MISSING_CHAR: 'a closing quote, bracket or comma, or a space after a colon, is missing',
  MULTILINE_IMPLICIT_KEY: 'a key must end on its line; is a colon or a quote missing?',
  MULTIPLE_DOCS: 'the file must hold one document; remove the line with ---',
  NON_STRING_KEY: 'a key must be a string',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  TAB_AS_INDENT: 'a tab cannot be used for indentation',
  TAG_RESOLVE_FAILED: 'a tag is unknown',
};

/**
 * Reads YAML 1.2 (with merge keys): duplicate keys are errors, so are unknown tags and more than
 * one document; the number of aliases is limited.
 * @throws ConfigError with the lines, but without any text of the file
 */
export function readYaml(text: string, file: string): YamlSource {
  if (text.length > maxFileCharacters) throw wholeError(file, 'is larger than 1 MiB');
  const counter = new LineCounter();
  const { document, value } = parsed(text, file, counter);
  return { value, lineOf: (path) => counter.linePos(offsetOf(document, path)).line };
}

function parsed(
  text: string,
  file: string,
  counter: LineCounter,
): { document: Document; value: unknown } {
  let problems: ConfigProblem[];
  try {
    const document = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      merge: true,
      stringKeys: true,
      logLevel: 'error',
    });
    const faults = [
      ...document.errors.map(faultOf),
      ...document.warnings.map(faultOf),
      ...unknownAliases(document),
    ];
    problems = faults.map(({ offset, reason }) => ({
      path: [],
      reason,
      line: counter.linePos(offset).line,
    }));
    if (problems.length === 0)
      return { document, value: document.toJS({ maxAliasCount: maxAliases }) };
  } catch (error) {
    // the parser throws a RangeError for deep nesting, and another error for too many aliases
    const reason = error instanceof RangeError ? 'is nested too deeply' : 'has too many aliases';
    problems = [{ path: [], reason, line: null }];
  }
  throw new ConfigError(file, problems);
}

function faultOf({ code, pos }: YAMLError): { offset: number; reason: string } {
  return { offset: pos[0], reason: reasons[code] ?? 'is not valid YAML' };
}

function unknownAliases(document: Document): { offset: number; reason: string }[] {
  const anchors = new Set<string>();
  const faults: { offset: number; reason: string }[] = [];
  visit(document, {
    Alias(_, alias) {
      if (!anchors.has(alias.source))
        faults.push({
          offset: alias.range?.[0] ?? 0,
          reason: 'an alias names an anchor that is not defined before it',
        });
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchors.add(node.anchor);
    },
  });
  return faults;
}

function offsetOf(document: Document, path: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
      if (pair === undefined) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);

/** A value as YAML, below a comment of these lines. */
export function writeYaml(value: unknown, comment: readonly string[]): string {
  const lines = comment.map((line) => `# ${line.replace(/\s+/g, ' ')}\n`);
  return `${lines.join('')}${stringify(value, { lineWidth: 0 })}`;
}
