import { parseUrl } from '../text/parse-url.js';
import type { ConfigInput, ToolkitInput } from './config-input.js';
import type { Finding } from './problem.js';

type Type = ToolkitInput['type'];
type Functions = NonNullable<ToolkitInput['functions']>;

/** What toolkits of every type have. */
const rules = ['type', 'tools', 'optional', 'pricePerCall', 'timeoutMs', 'maxResultChars'] as const;
/** What each type has besides; it needs the first one. */
const settingsOf = {
  'mcp-stdio': ['command', 'args', 'env', 'era'],
  'mcp-http': ['url', 'headers', 'era', 'auth'],
  openapi: ['url', 'headers', 'baseUrl', 'operations'],
  functions: ['functions', 'headers'],
} as const satisfies Readonly<Record<Type, readonly (keyof ToolkitInput)[]>>;

/** A toolkit's settings with their defaults; those of other types than its own may be absent. */
export interface FilledToolkit extends Omit<
  Required<ToolkitInput>,
  'approval' | 'auth' | 'functions'
> {
  readonly approval: Required<NonNullable<ToolkitInput['approval']>>;
  readonly auth: Required<NonNullable<ToolkitInput['auth']>> | null;
  readonly functions: readonly Required<Functions[number]>[];
}

/** The settings of one toolkit, of a type if one is named. */
export type ToolkitConfig<Named extends Type = Type> = {
  readonly [Each in Named]: ToolkitRules &
    Pick<Settings, (typeof rules)[number] | (typeof settingsOf)[Each][number]> & {
      readonly type: Each;
    };
}[Named];

type Settings = Omit<FilledToolkit, 'auth'> & {
  readonly auth: Omit<NonNullable<FilledToolkit['auth']>, 'type'> | null;
};

interface ToolkitRules {
  readonly name: string;
  /** Names or globs of the tools whose calls are handed to the client. */
  readonly clientApproval: readonly string[];
}

/** The settings of a toolkit, in the shape of its type. */
export function toolkitConfig(name: string, toolkit: FilledToolkit): ToolkitConfig {
  const { type: _grant, ...credentials } = toolkit.auth ?? {};
  const settings = { ...toolkit, auth: toolkit.auth && credentials };
  const own = [...rules, ...settingsOf[toolkit.type]].map(
    (name) => [name, settings[name]] as const,
  );
  return {
    name,
    clientApproval: toolkit.approval.client,
    ...Object.fromEntries(own),
  } as ToolkitConfig;
}

/** What is wrong with the toolkits, beyond their schema. */
export const toolkitFindings = ({ toolkits = {} }: Pick<ConfigInput, 'toolkits'>): Finding[] =>
  Object.entries(toolkits).flatMap(([name, toolkit]) => {
    const path = ['toolkits', name];
    const own: readonly Setting[] = settingsOf[toolkit.type];
    const missing = own.slice(0, 1).filter((setting) => toolkit[setting] === undefined);
    const foreign = typedSettings.filter(
      (setting) => toolkit[setting] !== undefined && !own.includes(setting),
    );
    return [
      ...missing.map((field) => ({ path: [...path, field], reason: 'is required' })),
      ...foreign.map((field) => ({
        path: [...path, field],
        reason: `is only for the type ${Object.entries(settingsOf)
          .flatMap(([type, own]) => ((own as readonly Setting[]).includes(field) ? [type] : []))
          .join(' or ')}`,
      })),
      ...addressFindings(toolkit, path),
      ...repeatedFunctions(toolkit, path),
    ];
  });

type Setting = (typeof settingsOf)[Type][number];

const typedSettings = [...new Set<Setting>(Object.values(settingsOf).flat())];

function addressFindings(toolkit: ToolkitInput, path: readonly string[]): Finding[] {
  const addresses: readonly (readonly [readonly string[], (string | null)?])[] = [
    [['url'], toolkit.url],
    [['baseUrl'], toolkit.baseUrl],
    [['auth', 'tokenUrl'], toolkit.auth?.tokenUrl],
    ...(toolkit.functions ?? []).map(
      ({ url }, place) => [['functions', String(place), 'url'], url] as const,
    ),
  ];
  return addresses
    .filter(([, address = null]) => address !== null && !isAddress(address))
    .map(([field]) => ({
      path: [...path, ...field],
      reason: 'must be an address without credentials; put them into `headers`',
    }));
}

function isAddress(text: string): boolean {
  const url = parseUrl(text);
  return url !== null && url.username === '' && url.password === '';
}

function repeatedFunctions({ functions = [] }: ToolkitInput, path: readonly string[]): Finding[] {
  const names = functions.map(({ name }) => name);
  return names
    .map((name, place) => ({ name, place }))
    .filter(({ name, place }) => names.indexOf(name) < place)
    .map(({ place }) => ({
      path: [...path, 'functions', String(place), 'name'],
      reason: 'is the same name as an earlier one',
    }));
}
