import type { Page, PageRequest } from './page.js';

/** What a research run knows after one of its steps. */
export interface NewNotes {
  /** The id of the answer that the run writes. */
  readonly id: string;
  readonly accountId: string;
  /** The notes as JSON, at most a megabyte. */
  readonly json: string;
  readonly at: number;
}

/**
 * The notes of research runs, from which a run that was killed is continued. They are deleted with
 * their answer's conversation, or when they are old.
 */
export interface ResearchStore {
  /** Stores notes in place of earlier ones of the same account and id. */
  save(notes: NewNotes): Promise<void>;
  /** The notes as JSON; null: the account has none of that id. */
  find(accountId: string, id: string): Promise<string | null>;
  /** Deletes notes; nothing happens where there are none. */
  remove(accountId: string, id: string): Promise<void>;
  /** The notes that the account has, newest first. */
  list(accountId: string, page: PageRequest): Promise<Page<Pick<NewNotes, 'id' | 'at'>>>;
}
