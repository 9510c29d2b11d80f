/** A problem before its line is known. */
export interface Finding {
  /** The field's parts, as `['providers', 'openai', 'api']`; empty for the file as a whole. */
  readonly path: readonly string[];
  readonly reason: string;
  /** The error is in an environment variable, which the reason names. */
  readonly inEnvironment?: boolean;
}

/** One error in a configuration. Names settings, never their values, which may be keys. */
export interface ConfigProblem extends Finding {
  /** From 1; null: there is no file, or the error is in an environment variable. */
  readonly line: number | null;
}

/**
 * The path of a setting as the documentation writes it: `auth.keys[0].key`,
 * `models["openai/gpt-4.1"].quality`. Parts are cut at 60 characters, control characters shown as `?`.
 */
export const settingName = (path: readonly string[]): string =>
  path
    .map((part) => part.slice(0, 60).replaceAll(/\p{C}/gu, '?'))
    .map((part, place) => {
      if (/^\d+$/.test(part)) return `[${part}]`;
      if (!/^[\w-]+$/.test(part)) return `["${part}"]`;
      return place === 0 ? part : `.${part}`;
    })
    .join('');

const maxShownProblems = 5;

/** A configuration that cannot be used: `file:line: path: reason` for up to five problems. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** All problems found, in the order of their lines. */
  readonly problems: readonly ConfigProblem[];
  /** The file at fault, null for a configuration that was given as an object. */
  readonly file: string | null;

  constructor(file: string | null, problems: readonly ConfigProblem[], cause?: unknown) {
    const lines = problems.slice(0, maxShownProblems).map((problem) => described(file, problem));
    if (problems.length > maxShownProblems)
      lines.push(`and ${problems.length - maxShownProblems} more`);
    super(lines.join('\n'), cause === undefined ? undefined : { cause });
    this.file = file;
    this.problems = problems;
  }
}

/** The error for a file, or another place, as a whole. */
export const wholeError = (file: string | null, reason: string, cause?: unknown): ConfigError =>
  new ConfigError(file, [{ path: [], reason, line: null }], cause);

function described(
  file: string | null,
  { path, reason, line, inEnvironment }: ConfigProblem,
): string {
  const place = `${file ?? 'configuration'}${line === null ? '' : `:${line}`}`;
  if (inEnvironment) return reason;
  return path.length === 0 ? `${place}: ${reason}` : `${place}: ${settingName(path)}: ${reason}`;
}
