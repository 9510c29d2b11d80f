import { compileSchema } from '../config/schema/compile-schema.js';
import type { Acting } from '../resources/acting.js';
import {
  endKey,
  type IssuedKey,
  issueKey,
  type Key,
  type KeyTerms,
  oneKey,
  pageOfKeys,
  renewKey,
  type RotationTerms,
  updateKey,
} from '../resources/keys.js';
import type { List } from '../resources/page-request.js';
import {
  askedPage,
  checkFields,
  namedAccount,
  type PageOptions,
  refuseOthers,
  requiredAccount,
  requiredText,
} from './asked.js';

/** Names one key. */
export interface KeyId {
  readonly id: string;
  /** If given, keys of other accounts are not found. */
  readonly account?: string;
}

/** The keys that the gateway issues, as `/api/v1/keys` has them. */
export interface KeyMethods {
  /**
   * Issues a key to an account. Only this answer contains the key itself.
   * @param key `account`: `host:<your id>` for one of your users, or an id that the gateway has given
   * @throws GatewayError `validation_failed`, `not_found` for an unknown account
   */
  create(key: KeyTerms & { readonly account: string }): Promise<IssuedKey>;
  /**
   * The keys of an account, including revoked ones, newest first. Without `account`: of all accounts.
   */
  list(options?: PageOptions & { readonly account?: string }): Promise<List<Key>>;
  /** One key. @throws GatewayError `not_found` */
  get(key: KeyId): Promise<Key>;
  /**
   * Changes the given fields, with effect on every replica within a second; `null` removes a limit,
   * the models or the end.
   * @throws GatewayError `not_found`, `validation_failed`
   */
  update(changes: Partial<KeyTerms> & KeyId): Promise<Key>;
  /**
   * Gives a key a new secret, which only this answer contains. The old one works until the overlap
   * ends, by default for a day.
   * @throws GatewayError `not_found`, `conflict` for a key that may not be used any more
   */
  rotate(rotation: RotationTerms & KeyId): Promise<IssuedKey>;
  /** Revokes a key permanently. @throws GatewayError `not_found` */
  revoke(key: KeyId): Promise<void>;
}

/** The keys, for the code of a host app. */
export function keyMethods(acting: Acting): KeyMethods {
  const { parts } = acting;
  const terms = compileSchema<KeyTerms>('key.request');
  const changes = compileSchema<Partial<KeyTerms>>('key-change.request');
  const rotation = compileSchema<RotationTerms>('key-rotation.request');
  return {
    async create({ account, ...given }) {
      checkFields(terms, given);
      return issueKey(acting, await requiredAccount(parts, { account }), given);
    },
    async list(options = {}) {
      const page = askedPage(options, ['account']);
      return pageOfKeys(parts, await namedAccount(parts, options), page);
    },
    async get(key) {
      refuseOthers(key, ['id', 'account']);
      return oneKey(parts, await namedAccount(parts, key), requiredText(key, 'id'));
    },
    async update(asked) {
      const { id: _id, account: _account, ...given } = asked;
      checkFields(changes, given);
      return updateKey(acting, await namedAccount(parts, asked), requiredText(asked, 'id'), given);
    },
    async rotate(asked) {
      const { id: _id, account: _account, ...given } = asked;
      checkFields(rotation, given);
      return renewKey(acting, await namedAccount(parts, asked), requiredText(asked, 'id'), given);
    },
    async revoke(key) {
      refuseOthers(key, ['id', 'account']);
      await endKey(acting, await namedAccount(parts, key), requiredText(key, 'id'));
    },
  };
}
