import { closestNames } from '../../config/closest.js';
import { GatewayError } from '../../errors.js';
import { forbiddenReason } from '../../models/access-rules.js';
import type { Aliases } from '../../models/aliases.js';
import { sameModelIn, standInsFor } from '../../models/model-identity.js';
import type { Catalog, Owner } from '../../models/catalog.js';
import type { Candidate } from '../../chooser/plan.js';
import type { ListedModel } from '../../providers/adapter.js';
import type { ModelDirectory } from './model-directory.js';

/** What names are looked up in. */
export interface NameSources {
  readonly directory: ModelDirectory;
  readonly aliases: Aliases;
  readonly catalog: Catalog;
  isConfigured(provider: string): boolean;
  /** A configured provider that other gateways call by this name, such as `google`; or null. */
  otherName(provider: string): string | null;
  /** The environment variable that enables a provider of this name; null: no such provider. */
  variableOf(provider: string): string | null;
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[];
}

/** A model of a provider's list with its label. */
export interface CallableModel extends ListedModel, Owner {
  readonly model: string;
  readonly label: string;
}

const maxShown = 3;
/** Longer names are not looked up under other spellings. */
const maxNameLength = 100;
const whereListed = 'GET /v1/models lists the models';

/**
 * Finds the models that names stand for. Tries in this order: a label `<provider>/<model>` of a
 * configured provider; an alias of the configuration; a label with another name of a provider; a
 * bare name that a configured provider has; a bare name that it has in another form (dated,
 * `-latest`, with its maker before it); a name that an agent sends by default, for the most able
 * model of its family. Of several providers that have a bare name, the model's maker is taken; if
 * it is not among them, the name is refused, with the choices.
 */
export class ModelNames {
  constructor(private readonly sources: NameSources) {}

  /**
   * The candidates that names stand for, each once. A name that stands for none becomes a candidate
   * that cannot be called: `unknownReason` says why.
   * @param keyModels those that the caller may use, which are preferred as stand-ins for a name
   */
  candidatesOf(names: readonly string[], keyModels: readonly string[] | null = null): Candidate[] {
    const found: Candidate[] = [];
    let labels: Set<string> | null = null;
    for (const name of names) {
      const exact = this.exact(name);
      const candidates = exact ? [exact] : this.lookUp(name, keyModels);
      // only aliases can repeat a model that the request names too
      if (!exact) labels ??= new Set(found.map(({ label }) => label));
      for (const candidate of candidates) {
        if (labels?.has(candidate.label)) continue;
        labels?.add(candidate.label);
        found.push(candidate);
      }
    }
    return found;
  }

  /** What an entry of model selection names, callable here or not. Null: the name is unknown. */
  ownersOf(name: string): readonly Owner[] | null {
    const targets = this.exact(name) ? null : this.sources.aliases.targetsOf(name);
    if (targets) return targets.map(ownerOf);
    const owner = this.sources.catalog.identify(name);
    return owner && [owner];
  }

  /** The labels of a bare name that several providers have; empty otherwise, and for aliases. */
  choicesOf(name: string): string[] {
    if (this.exact(name) || this.sources.aliases.targetsOf(name)) return [];
    const serving = this.serving(name);
    return serving.length > 1 ? serving : [];
  }

  /** Why no model can be called for a candidate; null if its provider is configured. */
  unknownReason(
    { label, provider }: Candidate,
    keyModels: readonly string[] | null,
  ): string | null {
    if (provider !== null && this.sources.isConfigured(provider)) return null;
    if (label === 'auto') return `auto answers conversations only; ${whereListed}`;
    const choices = this.choicesOf(label);
    if (choices.length > 0) return ambiguous(label, choices);
    const quoted = JSON.stringify(label.slice(0, 100));
    if (!provider)
      return `no configured provider has a model ${quoted}; ${this.advice(label, keyModels)}`;
    return `provider ${JSON.stringify(provider.slice(0, 60))} is not configured${this.hint(provider)}; ${whereListed}`;
  }

  /** Similar names of models that a key may call, and where all are listed. */
  advice(name: string, keyModels: readonly string[] | null): string {
    const near = this.nearest(name, keyModels);
    return near.length > 0 ? `did you mean ${near.join(' or ')}? ${whereListed}` : whereListed;
  }

  private nearest(name: string, keyModels: readonly string[] | null): string[] {
    const bare = name.slice(name.indexOf('/') + 1);
    const labels = new Map<string, string[]>();
    for (const { label, model } of this.callable(keyModels))
      labels.set(model, [...(labels.get(model) ?? []), label]);
    for (const alias of this.aliasesFor(keyModels))
      labels.set(alias, [...(labels.get(alias) ?? []), alias]);
    return closestNames(bare, [...labels.keys()])
      .flatMap((model) => labels.get(model) ?? [])
      .filter((label) => label !== name)
      .slice(0, maxShown);
  }

  /** Why a key may not call a model, by its own rules and the configuration's; null: it may. */
  forbiddenReason(
    candidate: Pick<Candidate, 'provider' | 'model'>,
    keyModels: readonly string[] | null,
  ): string | null {
    const { allow, deny } = this.sources;
    return forbiddenReason(candidate, { allow, deny, keyModels });
  }

  /** The listed models that a key may call, in the providers' order. */
  callable(keyModels: readonly string[] | null): CallableModel[] {
    const { directory } = this.sources;
    return directory
      .providers()
      .flatMap((provider) =>
        [...directory.models(provider).values()].map((listed) => ({
          ...listed,
          provider,
          label: `${provider}/${listed.model}`,
        })),
      )
      .filter((candidate) => this.forbiddenReason(candidate, keyModels) === null);
  }

  /** The aliases of which a key may call a target. */
  aliasesFor(keyModels: readonly string[] | null): string[] {
    const { aliases, isConfigured } = this.sources;
    const isCallable = (label: string): boolean => {
      const candidate = candidateOf(label);
      return (
        isConfigured(candidate.provider ?? '') &&
        this.forbiddenReason(candidate, keyModels) === null
      );
    };
    return aliases.names.filter((name) => aliases.targetsOf(name)?.some(isCallable));
  }

  private hint(provider: string): string {
    const variable = this.sources.variableOf(provider);
    if (variable !== null) return `: set ${variable}, or add it to providers in the configuration`;
    const near = closestNames(provider, this.sources.directory.providers()).slice(0, maxShown);
    return near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
  }

  private exact(name: string): Candidate | null {
    const { provider, model } = ownerOf(name);
    return provider !== '' && this.sources.isConfigured(provider)
      ? { label: name, provider, model }
      : null;
  }

  private lookUp(name: string, keyModels: readonly string[] | null): Candidate[] {
    const { aliases, directory, otherName } = this.sources;
    const targets = aliases.targetsOf(name);
    if (targets) return targets.map(candidateOf);
    const { provider, model } = ownerOf(name);
    const other = provider === '' ? null : otherName(provider);
    if (other !== null) return [candidateOf(`${other}/${model}`)];
    directory.refresh();
    const [only, ...others] = this.serving(name);
    if (only === undefined) {
      const allowed = this.standIns(name, keyModels);
      const standIns = allowed.length > 0 ? allowed : this.standIns(name, null);
      if (standIns.length > 0) return standIns.map(({ label }) => candidateOf(label));
    }
    return [candidateOf(only !== undefined && others.length === 0 ? only : name)];
  }

  private standIns(name: string, keyModels: readonly string[] | null): readonly CallableModel[] {
    if (name.includes('/') || name.length > maxNameLength) return [];
    const chats = this.callable(keyModels).filter(({ type }) => type === 'chat');
    return standInsFor(name, chats, (one) => {
      const { ability } = this.sources.catalog.lookup(one.provider, one.model);
      return ability;
    });
  }

  /** The labels of the model that a bare name stands for. */
  private serving(name: string): string[] {
    const { directory, catalog } = this.sources;
    const labels = (find: (models: ReadonlyMap<string, unknown>) => string | null): string[] =>
      directory.providers().flatMap((provider) => {
        const model = find(directory.models(provider));
        return model === null ? [] : [`${provider}/${model}`];
      });
    const exact = labels((models) => (models.has(name) ? name : null));
    const isBare = !name.includes('/') && name.length <= maxNameLength;
    const found = exact.length === 0 && isBare ? labels((list) => sameModelIn(list, name)) : exact;
    if (found.length < 2) return found;
    const maker = catalog.identify(name)?.provider;
    const own = found.filter((label) => ownerOf(label).provider === maker);
    return own.length > 0 ? own : found;
  }
}

/** The error of a model that its provider does not have, with similar names. */
export const withAdvice = (
  error: GatewayError,
  names: ModelNames,
  { label }: Candidate,
  keyModels: readonly string[] | null,
): GatewayError =>
  error.code === 'model_not_found'
    ? new GatewayError(error.code, `${error.message}; ${names.advice(label, keyModels)}`, error)
    : error;

/** The message for a bare name that several providers have, with their labels. */
export const ambiguous = (name: string, choices: readonly string[]): string =>
  `several providers have a model ${JSON.stringify(name.slice(0, 100))}: use ${choices.slice(0, 8).join(' or ')}`;

/**
 * Splits `<provider>/<model>`; what follows the first slash is the provider's own name, slashes
 * included. The provider of a bare name is empty.
 */
function ownerOf(name: string): Owner {
  const slash = name.indexOf('/');
  return slash <= 0 || slash === name.length - 1
    ? { provider: '', model: name }
    : { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

/**
 * A name as a candidate. A bare name's candidate cannot be called; its provider is '', not null,
 * because for null routing would look for the model's maker.
 */
const candidateOf = (label: string): Candidate => ({ label, ...ownerOf(label) });
