import type { KindsOfTask } from '../figures.js';
import { largestShares } from '../predictor/largest-shares.js';
import type { OutlookWeights } from './outlook-weights.js';
import type { Outlook } from './read-outlook.js';

/** Numbers the kinds of requests, by which ratings are told apart. */
export class RequestKinds {
  /** Under this name the numbers of the kinds are stored: other weights may have others. */
  readonly router: string;
  private readonly numbers: ReadonlyMap<string, number>;

  constructor({ kinds }: Pick<OutlookWeights, 'kinds'>) {
    this.router = `kinds: ${kinds.map(({ name }) => name).join(', ')}`;
    this.numbers = new Map(kinds.map(({ name }, number) => [name, number]));
  }

  /** The kinds of one request. */
  of({ kinds }: Outlook): KindsOfTask {
    const shares = largestShares(
      kinds.map(({ name, share }) => [this.numbers.get(name)!, share] as const),
    );
    return { router: this.router, shares };
  }
}
