import { Cancellation } from '../../dispatch/cancellation.js';
import { askForModels } from '../../dispatch/ask-once.js';
import type { Provider } from '../../dispatch/provider.js';
import { GatewayError } from '../../errors.js';
import type { ListedModel } from '../../providers/adapter.js';

const refreshMs = 3_600_000;
const retryMs = 300_000;

interface KnownList {
  /** Identifies the configuration under which the provider was asked. */
  readonly source: string;
  models: readonly ListedModel[] | null;
  /** When to ask again, in ms since 1970. */
  dueAt: number;
  failed: boolean;
}

/**
 * The models that providers report. They are asked in the background, when a list older than an
 * hour is used, so that neither requests nor the start wait for them. Outlives configurations.
 */
export class ModelLists {
  /** Grows with every new list. */
  revision = 0;
  private readonly known = new Map<string, KnownList>();
  private readonly underWay = new Set<Cancellation>();

  /** @param warn receives one line when a provider's list fails, and again after it worked */
  constructor(private readonly warn: (warning: string) => void) {}

  /** The provider's list as far as it is known; null: not known, or of another configuration. */
  of(provider: string, source: string): readonly ListedModel[] | null {
    const known = this.known.get(provider);
    return known?.source === source ? known.models : null;
  }

  /** Asks a provider in the background if its list is due. */
  refresh(provider: Provider, source: string): void {
    let known = this.known.get(provider.name);
    if (known?.source !== source) {
      known = { source, models: null, dueAt: 0, failed: false };
      this.known.set(provider.name, known);
    }
    if (Date.now() < known.dueAt) return;
    // meanwhile no other request asks
    known.dueAt = Date.now() + retryMs;
    void this.ask(provider, known);
  }

  /** Ends the calls in progress. */
  close(): void {
    for (const cancellation of this.underWay)
      cancellation.cancel(new GatewayError('client_closed', 'the gateway stops'));
  }

  private async ask(provider: Provider, known: KnownList): Promise<void> {
    const cancellation = new Cancellation();
    this.underWay.add(cancellation);
    try {
      const models = await askForModels(provider, cancellation);
      if (models.length === 0) throw new Error(`${provider.name} listed no models`);
      known.models = models;
      known.dueAt = Date.now() + refreshMs;
      known.failed = false;
      this.revision++;
    } catch (error) {
      if (!known.failed && !cancellation.reason)
        this.warn(
          `the models of ${provider.name} could not be listed: ${(error as Error).message}; ` +
            `those with known prices are listed instead (providers[${provider.name}][listModels])`,
        );
      known.failed = true;
    } finally {
      this.underWay.delete(cancellation);
    }
  }
}
