import type { ToolkitInput } from './config-input.js';
import type { Finding } from './findings.js';
import type { WrittenConfig } from './shape.js';

type Setting = keyof ToolkitInput;

/** What each type needs, and what only some types have. */
const needed: Readonly<Record<ToolkitInput['type'], readonly Setting[]>> = {
  'mcp-stdio': ['command'],
  'mcp-http': ['url'],
  openapi: ['url'],
  functions: ['functions'],
};
const onlyFor: readonly (readonly [Setting, readonly ToolkitInput['type'][]])[] = [
  ['command', ['mcp-stdio']],
  ['args', ['mcp-stdio']],
  ['env', ['mcp-stdio']],
  ['era', ['mcp-stdio', 'mcp-http']],
  ['url', ['mcp-http', 'openapi']],
  ['headers', ['mcp-http', 'openapi', 'functions']],
  ['auth', ['mcp-http']],
  ['baseUrl', ['openapi']],
  ['operations', ['openapi']],
  ['functions', ['functions']],
];

/** What is wrong with the toolkits, beyond their schema. */
export function toolkitFindings({ toolkits = {} }: WrittenConfig): Finding[] {
  return Object.entries(toolkits).flatMap(([name, toolkit]) => {
    const path = ['toolkits', name];
    const missing = needed[toolkit.type].filter((setting) => toolkit[setting] === undefined);
    const foreign = onlyFor.filter(
      ([setting, types]) => toolkit[setting] !== undefined && !types.includes(toolkit.type),
    );
    return [
      ...missing.map((field) => ({ path: [...path, field], reason: 'is required' })),
      ...foreign.map(([field, types]) => ({
        path: [...path, field],
        reason: `is only for the type ${types.join(' or ')}`,
      })),
      ...addressFindings(toolkit, path),
      ...repeatedFunctions(toolkit, path),
    ];
  });
}

function addressFindings(toolkit: ToolkitInput, path: readonly string[]): Finding[] {
  const addresses: readonly (readonly [readonly string[], string | undefined])[] = [
    [['url'], toolkit.url],
    [['baseUrl'], toolkit.baseUrl],
    [['auth', 'tokenUrl'], toolkit.auth?.tokenUrl],
    ...(toolkit.functions ?? []).map(
      ({ url }, place) => [['functions', String(place), 'url'], url] as const,
    ),
  ];
  return addresses
    .filter(([, address]) => address !== undefined && !isAddress(address))
    .map(([field]) => ({
      path: [...path, ...field],
      reason: 'must be an address without credentials; put them into `headers`',
    }));
}

function isAddress(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    return username === '' && password === '';
  } catch {
    return false;
  }
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
