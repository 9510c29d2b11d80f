import { hash } from 'node:crypto';
import type { KindsOfTask } from '../figures.js';
import { largestShares } from '../learning/largest-shares.js';
import { longDocument } from './long-documents.js';
import type { OutlookWeights } from './outlook-weights.js';
import type { Outlook } from './read-outlook.js';

/** Numbers the kinds of requests, by which ratings are told apart. */
export class RequestKinds {
  /** The name under which numbers of kinds are stored: other weights may number others. */
  readonly router: string;
  private readonly names: readonly string[];
  private readonly numbers: ReadonlyMap<string, number>;

  constructor({ kinds }: Pick<OutlookWeights, 'kinds'>) {
    const read = kinds.map(({ name }) => name);
    // last, so that the stored numbers of the others stay
    this.names = [...read, longDocument.name];
    this.router = `kinds ${hash('sha256', read.join()).slice(0, 12)}`;
    this.numbers = new Map(this.names.map((name, number) => [name, number]));
  }

  /** The kinds of one request. */
  of({ kinds }: Outlook): KindsOfTask {
    const shares = largestShares(
      kinds.map(({ name, share }) => [this.numbers.get(name)!, share] as const),
    );
    const names = shares.map(([number]) => this.names[number]!);
    return { router: this.router, shares, names };
  }
}
