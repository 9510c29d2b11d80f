import type { Command } from 'commander';
import type { Config } from '../config/config.js';
import { Chooser, type Retraction } from '../chooser/chooser.js';
import type { LearningScope } from '../store/contracts/learnings.js';
import type { Store } from '../store/contracts/store.js';
import { groupOf, onStore, timeOf, withConfig } from './command-group.js';
import { isRowless } from '../accounts/caller.js';
import { findAccountId } from './keys.js';
import { recordAct } from './record-act.js';

/** Whose learning is meant. */
interface LearningOptions {
  readonly account?: string;
  readonly preference?: string;
}

/** Which part of it is forgotten. Default: everything. */
interface ForgetOptions extends LearningOptions {
  /** A date such as `2027-01-31`, or a time. */
  readonly from?: string;
  /** By id or name. */
  readonly key?: string;
  readonly model?: string;
}

const learnedSince = 'a date or a time such as 2027-01-31T12:00:00Z';

/** Adds `signalbox learning …`. */
export function addLearningCommands(program: Command): void {
  const group = groupOf(program, 'learning', 'show and take back what traffic has taught');
  const ofScope = (name: string): Command =>
    group
      .command(name)
      .option('--account <account>', 'whose, by mail address; default: the first account')
      .option('--preference <id>', 'of requests with this preference; default: without any');
  ofScope('show')
    .description('print what was learned from ratings and outcomes, as JSON')
    .action(
      withConfig((store, config, options: LearningOptions) =>
        showLearningCommand(store, options, config),
      ),
    );
  ofScope('forget')
    .description('forget what was learned: all, or the part that the options name')
    .option('--from <time>', 'what came from this time on, such as 2027-01-31T12:00:00Z')
    .option('--key <key>', 'what one key taught, by id or name')
    .option('--model <model>', 'what was learned about one model')
    .action(onStore(forgetLearningCommand));
}

/** `signalbox learning show`: the same JSON as `GET /api/v1/learning`. */
export async function showLearningCommand(
  store: Store,
  options: LearningOptions,
  { routing }: Config,
): Promise<string> {
  const { scope, exploration } = await scopeOf(store, options);
  const settings = {
    preferenceId: scope.preferenceId,
    enabled: routing.learning && routing.ranker === 'learned',
    exploration: exploration ?? routing.exploration,
  };
  return `${JSON.stringify(await Chooser.showStored(store, scope, settings), null, 2)}\n`;
}

/** `signalbox learning forget`: as `DELETE /api/v1/learning`, with the same parameters. */
export async function forgetLearningCommand(store: Store, options: ForgetOptions): Promise<string> {
  const { scope } = await scopeOf(store, options);
  const { from, key, model } = options;
  for (const [name, value] of Object.entries({ from, key, model }))
    if (value === '') throw new Error(`--${name}: must not be empty`);
  const isPart = from !== undefined || key !== undefined || model !== undefined;
  const part = isPart ? await partOf(store, scope.accountId, options) : null;
  if (!(await Chooser.forgetStored(store, scope, part)))
    return 'nothing was forgotten: nothing was learned that the options name\n';
  await recordAct(store, {
    act: 'learning.forget',
    accountId: scope.accountId,
    target: scope.preferenceId === '' ? null : scope.preferenceId,
    ...(isPart ? { details: { from, key, model } } : {}),
  });
  return `forgotten: ${isPart ? 'a part' : 'all'} of what was learned\n`;
}

async function partOf(
  { keys }: Store,
  accountId: string,
  { from, key, model }: ForgetOptions,
): Promise<Retraction> {
  const ids = key === undefined ? [] : await keys.idsOf(accountId, key);
  return {
    from: from === undefined ? null : timeOf('--from', from, learnedSince),
    // a key that was revoked long ago is known by its id alone
    keys: key === undefined ? null : ids.length > 0 ? ids : [key],
    model: model ?? null,
  };
}

async function scopeOf(
  store: Store,
  { account, preference }: LearningOptions,
): Promise<{ scope: LearningScope; exploration: number | null }> {
  const accountId =
    account !== undefined && isRowless(account) ? account : await findAccountId(store, account);
  if (preference === undefined)
    return { scope: { accountId, preferenceId: '' }, exploration: null };
  const found = await store.preferences.find(accountId, preference);
  if (!found)
    throw new Error(
      `the account has no preference ${JSON.stringify(preference)}; --account MAIL names another account`,
    );
  return {
    scope: { accountId, preferenceId: found.id },
    exploration: found.settings.exploration ?? null,
  };
}
