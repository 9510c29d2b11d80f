import type { Page, PageRequest } from './page.js';

/** A response of the Responses dialect, with the input that it answers. */
export interface ResponseRecord {
  /** `resp_…` */
  readonly id: string;
  /** The id of the response that it continues; null: none. */
  readonly previousId: string | null;
  /** The items of its request, without those of earlier responses, as JSON. */
  readonly input: string;
  /** The response object as JSON. */
  readonly response: string;
}

export interface NewResponse extends ResponseRecord {
  readonly accountId: string;
  readonly at: number;
  readonly itemIds: readonly string[];
}

/** The responses that clients refer to in later requests. */
export interface ResponseStore {
  save(response: NewResponse): Promise<void>;
  /**
   * A response and those before it that it continues, oldest first, at most `maxTurns`, and none
   * before the one with which they have more than `maxLength` characters. Empty: there is none. The
   * first one has a `previousId` where an earlier one is missing.
   */
  chain(
    accountId: string,
    id: string,
    maxTurns: number,
    maxLength?: number,
  ): Promise<ResponseRecord[]>;
  /** The responses that have output items of these ids; null: they have more than `maxLength`. */
  withItems(
    accountId: string,
    itemIds: readonly string[],
    maxLength: number,
  ): Promise<Pick<ResponseRecord, 'id' | 'response'>[] | null>;
  /** False if there was none. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Newest first. */
  list(accountId: string, page: PageRequest): Promise<Page<{ id: string; at: number }>>;
}
