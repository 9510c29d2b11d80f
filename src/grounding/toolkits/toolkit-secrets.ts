import type { ToolkitConfig } from '../../config/toolkit-config.js';
import { hideSecrets, messageEnd, secretsOf } from '../../dispatch/secrets.js';
import { decoded, parseUrl } from '../../text/parse-url.js';

const namesSecret = /auth(?!or(?!i))|cookie|credential|dsn|key|pass|(?:^|_)pat$|pwd|secret|token/i;
/** A header of any name may hold a secret; shorter values of others are words. */
const minHeaderSecret = 8;
/** Values of settings such as `AUTH_NEEDED`, which results have too. */
const noSecrets = ['false'];
/** The note behind a result that is cut. */
const cutNote = /\n\[cut: [^\n]*$/;
/** Of access tokens, of which each replaces the one before. */
const maxLearned = 8;

/** The secrets of a toolkit: those of its settings, and those that it was given since. */
export class ToolkitSecrets {
  private readonly written: readonly string[];
  private learned: readonly string[] = [];
  private all: readonly string[];

  constructor(config: ToolkitConfig) {
    this.written = writtenSecrets(config);
    this.all = secretsOf(this.written, noSecrets);
  }

  /** A text that the toolkit has written, without them; its end stays unless a note says it is cut. */
  hide(text: string): string {
    return hideSecrets(text, this.all, cutNote);
  }

  /** A line or a reason, which may be cut without a note. */
  hideInMessage(text: string): string {
    return hideSecrets(text, this.all, messageEnd);
  }

  learn(secret: string): void {
    this.learned = [...this.learned.filter((one) => one !== secret), secret].slice(-maxLearned);
    this.all = secretsOf([...this.written, ...this.learned], noSecrets);
  }
}

function writtenSecrets(config: ToolkitConfig): string[] {
  switch (config.type) {
    case 'mcp-stdio':
      return [...valuesOf(config.env, Infinity), ...inArguments(config.args)];
    case 'mcp-http':
      return [
        ...valuesOf(config.headers),
        ...inAddress(config.url),
        ...(config.auth ? [config.auth.clientSecret] : []),
      ];
    case 'openapi':
      return [
        ...valuesOf(config.headers),
        ...[config.url, config.baseUrl ?? ''].flatMap(inAddress),
      ];
    case 'functions':
      return [
        ...[config, ...config.functions].flatMap(({ headers }) => valuesOf(headers)),
        ...config.functions.flatMap(({ url }) => inAddress(url)),
      ];
  }
}

const valuesOf = (named: Readonly<Record<string, string>>, minLength = minHeaderSecret): string[] =>
  Object.entries(named).flatMap(([name, value]) =>
    namesSecret.test(name) || value.trim().length >= minLength ? [value] : inAddress(value),
  );

/** `--api-key=VALUE`, `--token VALUE`, `Authorization: VALUE`, and addresses with a password. */
const inArguments = (args: readonly string[]): string[] =>
  args.flatMap((text, place) => {
    const [, name = '', value = ''] = /^([^=:]*)[=:](.*)$/s.exec(text) ?? [];
    const before = args[place - 1] ?? '';
    if (namesSecret.test(name)) return [value];
    return /^-(?!-no-)[^=:]*$/.test(before) && namesSecret.test(before)
      ? [text]
      : inAddress(value || text);
  });

/** The password of an address, and the parameters whose names say that they are secret. */
function inAddress(text: string): string[] {
  const url = parseUrl(text);
  if (url === null) return [];
  const named = [...url.searchParams].filter(([name]) => namesSecret.test(name));
  return [url.password, decoded(url.password), ...named.map(([, value]) => value)];
}
