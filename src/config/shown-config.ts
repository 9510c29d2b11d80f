import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { isObject } from '../text/is-object.js';
import { decoded } from '../text/parse-url.js';
import { defaults, fillProvider } from './fill.js';
import type { Config } from './shape.js';

/** Stands for a secret. */
export const masked = '********';

/** A configuration that may be shown to administrators. */
export interface ShownConfig {
  /** All settings in force, with the defaults. */
  readonly settings: Record<string, unknown>;
  /** What differs from the defaults, as the file would have it. */
  readonly yaml: string;
  /** Removes the configuration's secrets from a text. */
  hideSecrets(text: string): string;
}

type Settings = Record<string, unknown>;

/** Fields whose texts are secret wherever they stand; arguments of programs may be. */
const secretFields = /keys?$|accessKeyId|authorization|password|secret|token$|^args$/i;
/** Fields all of whose values may be secret. */
const secretGroups: ReadonlySet<string> = new Set(['headers', 'env']);
const minSecretLength = 5;

/** The configuration without its secrets. */
export function showConfig({ file: _file, warnings: _warnings, ...config }: Config): ShownConfig {
  const secrets = new Set<string>();
  const settings = mask(config, '', secrets) as Settings;
  const yaml = stringify(without(written(settings), defaults) ?? {}, { lineWidth: 0 });
  const known = [...secrets]
    .filter((secret) => secret.length >= minSecretLength)
    .sort((one, other) => other.length - one.length);
  const hideSecrets = (text: string): string =>
    known.reduce((hidden, secret) => hidden.replaceAll(secret, masked), text);
  return { settings, yaml, hideSecrets };
}

/** A copy with every secret masked; adds them to `secrets`. @param field its name */
function mask(value: unknown, field: string, secrets: Set<string>): unknown {
  if (typeof value === 'string')
    return secretFields.test(field) ? hidden(value, secrets) : maskAddress(value, secrets);
  if (Array.isArray(value)) return value.map((item) => mask(item, field, secrets));
  if (typeof value !== 'object' || value === null) return value;
  const isGroup = secretGroups.has(field);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isGroup && typeof inner === 'string' ? hidden(inner, secrets) : mask(inner, name, secrets),
    ]),
  );
}

function hidden(value: string, secrets: Set<string>): string {
  if (value === '') return value;
  secrets.add(value);
  return masked;
}

/** An address without its password and the values of its parameters. */
function maskAddress(text: string, secrets: Set<string>): string {
  if (!/^[a-z][\w+.-]*:\/\/.*[@?]/is.test(text) || !URL.canParse(text)) return text;
  const url = new URL(text);
  for (const part of [url.password, ...url.searchParams.values()])
    if (part !== '') secrets.add(decoded(part)).add(part);
  const parameters = [...url.searchParams.keys()].map((name) => `${name}=${masked}`).join('&');
  const password = url.password === '' ? '' : `:${masked}`;
  const user = url.username + password === '' ? '' : `${url.username}${password}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${parameters ? `?${parameters}` : ''}`;
}

/** Settings as a file writes them, where that is another shape. */
const written = ({ providers, toolkits, ...settings }: Settings): Settings => ({
  ...settings,
  providers: Object.fromEntries(
    Object.entries(providers as Record<string, Settings & { api: string }>).map(
      ([name, provider]) => [name, ownSettings(name, provider)],
    ),
  ),
  toolkits: Object.fromEntries(
    (toolkits as (Settings & { name: string })[]).map(({ name, clientApproval, ...toolkit }) => [
      name,
      {
        ...toolkit,
        approval: { client: clientApproval },
        ...(isObject(toolkit['auth'])
          ? { auth: { type: 'client_credentials', ...toolkit['auth'] } }
          : {}),
      },
    ]),
  ),
});

/** A provider's settings that are not those of every provider. */
function ownSettings(
  name: string,
  { name: _name, ...provider }: Settings & { api: string },
): Settings {
  const usual = fillProvider(name, { api: provider.api }) as object as Settings;
  return Object.fromEntries(
    Object.entries(provider).filter(
      ([field, value]) => field === 'api' || !isDeepStrictEqual(value, usual[field]),
    ),
  );
}

/** What is neither a default nor empty; undefined if there is nothing. */
function without(value: unknown, preset: unknown): unknown {
  if (value === null || isDeepStrictEqual(value, preset)) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .map(([name, inner]) => [name, without(inner, isObject(preset) ? preset[name] : undefined)])
    .filter(([, inner]) => inner !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const withoutNulls = (item: unknown): unknown =>
  isObject(item)
    ? Object.fromEntries(Object.entries(item).filter(([, inner]) => inner !== null))
    : item;
