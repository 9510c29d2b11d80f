import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { WrittenConfig, WrittenProvider } from '../../config/config.js';
import { keyVariables } from '../../gateway.js';
import { createCatalog } from '../../models/catalog.js';
import { readModelTable } from '../../models/model-tables.js';
import { isObject } from '../../text/is-object.js';
import { jsonFields } from '../../text/json-values.js';
import { readYaml, writeYaml } from '../../config/read-yaml.js';
import { groupOf } from '../command-group.js';

/** A configuration of this gateway, and what of the other one it does not have. */
export interface Imported {
  readonly config: WrittenConfig;
  /** A line each, which names the field and holds no value of it. */
  readonly notes: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textsIn = (value: unknown): string[] =>
  [value].flat().filter((one) => typeof one === 'string');

const { litellm, providerNames } = readModelTable('aliases');
const settings = new Map(Object.entries(litellm.settings));
const secrets = new Map(Object.entries(litellm.secrets));
const compatible = 'openai-compatible';
const perMillion = 1e6;
const sections = ['model_list', 'router_settings', 'litellm_settings', 'general_settings'];

/**
 * Reads LiteLLM's `config.yaml`. Models become aliases of labels, one provider for each address and
 * key. References to environment variables stay references; a key that the file holds itself is not
 * written: the configuration reads it from a variable that a note names.
 */
export const fromLiteLLM = (file: unknown): Imported =>
  new LiteLLMImport(jsonFields(file)).result();

class LiteLLMImport {
  private readonly notes: string[] = [];
  private readonly providers = new Map<string, { name: string; settings: WrittenProvider }>();
  private readonly aliases: Record<string, string[]> = {};
  private readonly models: Record<string, object> = {};
  private readonly variables = new Map<string, string>();
  private readonly catalog = createCatalog({});

  constructor(private readonly file: Fields) {}

  result(): Imported {
    const [models, router, library, general] = sections.map((section) => this.file[section]);
    listIn(models).forEach((entry, index) =>
      this.addModel(jsonFields(entry), `model_list[${index}]`),
    );
    const both = { ...jsonFields(library), ...jsonFields(router) };
    const hasFallbacks = this.addFallbacks(both);
    const limits = this.limitsOf(both);
    const keys = this.keysOf(jsonFields(general));
    this.noteOthers(both);
    const providers = [...this.providers.values()];
    for (const name of Object.keys(this.aliases))
      if (providers.some((one) => name.startsWith(`${one.name}/`)))
        this.note(
          `the model ${JSON.stringify(name)}`,
          'it is a label of the provider of that name',
        );
    const config = {
      ...(keys.length > 0 ? { auth: { keys } } : {}),
      providers: Object.fromEntries(providers.map((one) => [one.name, one.settings])),
      ...(Object.keys(this.models).length > 0 ? { models: this.models } : {}),
      aliases: this.aliases,
      // the other gateway tries fallbacks in the order given
      ...(hasFallbacks ? { routing: { order: 'given' as const } } : {}),
      ...(Object.keys(limits).length > 0 ? { limits } : {}),
    };
    return { config, notes: this.notes };
  }

  private addModel(entry: Fields, path: string): void {
    const params = jsonFields(entry['litellm_params']);
    const { model_name: name } = entry;
    const { model: called } = params;
    const target = typeof called === 'string' ? this.targetOf(called, params) : null;
    if (typeof name !== 'string' || !target || !mayStandFor(name, target.model)) {
      const isNameless = typeof name !== 'string' || target !== null;
      this.note(
        path,
        isNameless ? 'its name cannot be an alias' : 'its provider is not known here',
      );
      return;
    }
    const provider = this.providerOf(target.api, params, `${path}.litellm_params`);
    const label = `${provider}/${target.model}`;
    if (label !== name) this.aliases[name] = [...new Set([...(this.aliases[name] ?? []), label])];
    this.addFacts(label, jsonFields(entry['model_info']), `${path}.model_info`);
    for (const field of Object.keys(entry))
      if (!['model_name', 'litellm_params', 'model_info'].includes(field))
        this.note(`${path}.${field}`);
  }

  /** The value of `api` and the model that `<prefix>/<model>` or a bare name stands for. */
  private targetOf(called: string, params: Fields): { api: string; model: string } | null {
    const hasAddress = params['api_base'] !== undefined || params['base_url'] !== undefined;
    const slash = called.indexOf('/');
    const stated = params['custom_llm_provider'];
    const owner = slash < 0 ? this.catalog.identify(called)?.provider : called.slice(0, slash);
    const prefix = typeof stated === 'string' ? stated : owner;
    if (prefix === undefined) return hasAddress ? { api: compatible, model: called } : null;
    const [api = null] = keyVariables.has(prefix)
      ? [prefix]
      : [litellm.apis[prefix], ...(providerNames[prefix] ?? [])].filter((one) => one !== undefined);
    const rest = slash < 0 || typeof stated === 'string' ? called : called.slice(slash + 1);
    const words = new RegExp(`^(?:(?:${litellm.pathWords.join('|')})/)+(?=.)`);
    const model = rest.replace(words, '');
    if (hasAddress && (api === null || api === 'openai')) return { api: compatible, model };
    return api === null ? null : { api, model };
  }

  /** The name of the provider with an address and key, which is added where there is none yet. */
  private providerOf(api: string, params: Fields, path: string): string {
    const found: Record<string, string> = {};
    for (const [field, value] of Object.entries(params)) {
      const setting = settings.get(field);
      const secret = secrets.get(field);
      if (secret !== undefined) found[secret] = this.secret(value, `${path}.${field}`);
      else if (setting !== undefined && typeof value === 'string')
        found[setting] = reference(value);
      else if (field !== 'model' && field !== 'custom_llm_provider') this.note(`${path}.${field}`);
    }
    const [variable] = keyVariables.get(api) ?? [];
    if (variable !== undefined) found['apiKey'] ??= `\${${variable}}`;
    const written = { api, ...found } as WrittenProvider;
    const id = JSON.stringify(written);
    const known = this.providers.get(id);
    if (known) return known.name;
    const names = [...this.providers.values()].map(({ name }) => name);
    let name = api;
    for (let number = 2; names.includes(name); number++) name = `${api}-${number}`;
    this.providers.set(id, { name, settings: written });
    return name;
  }

  private addFacts(label: string, info: Fields, path: string): void {
    const facts: Record<string, unknown> = {};
    const carried: Record<string, (value: unknown) => void> = {
      input_cost_per_token: (value) => (facts['inputPrice'] = perToken(value)),
      output_cost_per_token: (value) => (facts['outputPrice'] = perToken(value)),
      max_input_tokens: (value) => (facts['contextLength'] = value),
      max_output_tokens: (value) => (facts['maxOutput'] = value),
      supports_function_calling: (value) => (facts['tools'] = value),
      supports_vision: (value) => (facts['images'] = value),
    };
    for (const [field, value] of Object.entries(info))
      if (carried[field] && ['number', 'boolean'].includes(typeof value)) carried[field](value);
      else if (field !== 'mode' && field !== 'id') this.note(`${path}.${field}`);
    if (Object.keys(facts).length > 0 && !label.includes('*')) this.models[label] = facts;
  }

  /** Fallbacks and second names, as further targets of aliases. @returns whether there were any */
  private addFallbacks({ fallbacks, model_group_alias: groups }: Fields): boolean {
    for (const [name, value] of Object.entries(jsonFields(groups)))
      this.addTargets(name, textsIn(isObject(value) ? value['model'] : value), 'model_group_alias');
    const pairs = listIn(fallbacks).flatMap((one) => Object.entries(jsonFields(one)));
    const firsts = { ...this.aliases };
    for (const [name, others] of pairs)
      this.addTargets(
        name,
        // the deployments of each, not its own fallbacks: those of two may name one another
        textsIn(others).flatMap((other) => firsts[other] ?? [other]),
        'fallbacks',
      );
    return pairs.length > 0;
  }

  private addTargets(name: string, targets: readonly string[], path: string): void {
    const known = targets.filter((target) => target.includes('/') || target in this.aliases);
    if (known.length < targets.length || known.some((target) => target.includes('*')))
      this.note(`${path} of ${JSON.stringify(name)}`, 'a target has no model');
    const usable = known.filter((target) => !target.includes('*') && target !== name);
    if (usable.length === 0 || (name.includes('*') && !(name in this.aliases))) return;
    this.aliases[name] = [...new Set([...(this.aliases[name] ?? []), ...usable])];
  }

  private limitsOf({ num_retries: retries, timeout, request_timeout: other }: Fields): object {
    const seconds = timeout ?? other;
    return {
      ...(Number.isInteger(retries) ? { maxRetries: retries } : {}),
      ...(typeof seconds === 'number' ? { totalTimeoutMs: Math.ceil(seconds * 1000) } : {}),
    };
  }

  private keysOf(general: Fields): { name: string; key: string }[] {
    const { master_key: key, ...rest } = general;
    for (const field of Object.keys(rest)) this.note(`general_settings.${field}`);
    if (typeof key !== 'string') return [];
    return [{ name: 'master', key: this.secret(key, 'general_settings.master_key') }];
  }

  private noteOthers(both: Fields): void {
    const carried = ['fallbacks', 'model_group_alias', 'num_retries', 'timeout', 'request_timeout'];
    const isIn = (section: string, field: string): boolean =>
      field in jsonFields(this.file[section]);
    for (const field of Object.keys(both))
      if (!carried.includes(field))
        this.note(`${isIn('router_settings', field) ? 'router' : 'litellm'}_settings.${field}`);
    for (const section of Object.keys(this.file))
      if (!sections.includes(section)) this.note(section);
  }

  /** A secret as a reference to a variable; the same one for the same secret. */
  private secret(value: unknown, path: string): string {
    const text = String(value);
    if (isReference(text)) return reference(text);
    const known = this.variables.get(text);
    const variable = known ?? `IMPORTED_SECRET_${this.variables.size + 1}`;
    this.variables.set(text, variable);
    this.note(path, `the file holds the secret itself; set the variable ${variable} to it`);
    return `\${${variable}}`;
  }

  private note(path: string, reason?: string): void {
    this.notes.push(reason === undefined ? path : `${path}: ${reason}`);
  }
}

/** Whether an alias of a name may have a target: as the configuration's schema and checks have it. */
const mayStandFor = (name: string, model: string): boolean =>
  /^(?!auto$)[^\s*]+(\*[^\s*]*)?$|^\*[^\s*]+$/.test(name) &&
  (model.match(/\*/g) ?? []).length <= (name.includes('*') ? 1 : 0);

const perToken = (value: unknown): number => Math.round(Number(value) * perMillion * 1e6) / 1e6;

const isReference = (text: string): boolean => /^os\.environ\/\w+$/.test(text);

/** A text with the other gateway's form of a variable in ours. */
const reference = (text: string): string =>
  isReference(text) ? `\${${text.slice(text.indexOf('/') + 1)}}` : text.replaceAll('${', '$${');

/** Adds `signalbox import litellm <file>`. */
export function addImportCommand(program: Command): void {
  groupOf(program, 'import', "write a configuration from another gateway's")
    .command('litellm')
    .argument('<file>', "LiteLLM's config.yaml")
    .description("write a configuration from LiteLLM's, and list what it does not carry over")
    .option('--out <file>', 'write to a new file, not to standard output')
    .action((file: string, { out }: { out?: string }) => {
      const { config, notes } = fromLiteLLM(readYaml(readFileSync(file, 'utf8'), file).value);
      const text = writeYaml(config, [
        "Written from LiteLLM's configuration by `signalbox import litellm`.",
        ...notes.map((note) => `Not carried over: ${note}`),
      ]);
      for (const note of notes) process.stderr.write(`not carried over: ${note}\n`);
      if (out === undefined) process.stdout.write(text);
      // a file that exists may hold the only copy of a configuration
      else writeFileSync(out, text, { flag: 'wx' });
    });
}
