interface ListedModel {
  readonly id: string;
  readonly deprecated?: boolean;
  readonly match: object;
}

const hasSlash = (name: string): boolean => name.includes('/');

const isEqual = (rule: unknown): rule is { equals: string } =>
  typeof rule === 'object' && rule !== null && 'equals' in rule && typeof rule.equals === 'string';

/** The name to call a listed model by: some lists shorten `accounts/…/models/x` to `x`. */
function callName({ id, match }: ListedModel): string {
  const rules: unknown[] = 'or' in match && Array.isArray(match.or) ? match.or : [match];
  const full = rules.filter(isEqual).find(({ equals }) => equals.endsWith(`/${id}`));
  // Bedrock's list marks prices of regional profiles so; the model's own id follows
  return full?.equals ?? id.replace(/^regional\./, '');
}

/** Placeholders for fine-tuned models and moving aliases: priced, but not to be called by that name. */
const placeholder = /^(?:ft:|~)|\.ft-$/;

/** Names under which a list's models can be called, without deprecated ones. */
export function listedNames(models: readonly ListedModel[]): string[] {
  const names = models
    .filter(({ id, deprecated }) => !deprecated && !placeholder.test(id))
    .map(callName);
  // a marketplace names models by vendor; its bare names are older spellings of the same
  const prefixed = names.filter(hasSlash);
  return prefixed.length * 2 > names.length ? prefixed : names;
}
