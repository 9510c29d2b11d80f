import type { Config } from '../../config/config.js';
import { fillProvider } from '../../config/fill.js';
import { type DemoProvider, startDemoProvider } from '../demo-provider.js';
import { providersOf } from '../../gateway.js';

/**
 * The demo provider of a running gateway: used from the start until the first provider is
 * configured, never again after that.
 */
export class Demo {
  private constructor(private upstream: DemoProvider | null) {}

  /** Starts the demo provider if neither the configuration nor the environment has a provider. */
  static async startFor(config: Config): Promise<Demo> {
    return new Demo(hasProviders(config) ? null : await startDemoProvider());
  }

  get isOn(): boolean {
    return this.upstream !== null;
  }

  /** Adds the demo provider to a configuration without providers; returns any other unchanged. */
  addTo(config: Config): Config {
    if (this.upstream === null || hasProviders(config)) return config;
    const { providers, models } = this.upstream.config;
    const filled = Object.fromEntries(
      Object.entries(providers).map(([name, provider]) => [name, fillProvider(name, provider)]),
    );
    return { ...config, providers: filled, models: { ...models, ...config.models } };
  }

  /**
   * Stops the demo provider if the new configuration has providers; answers in progress are
   * finished.
   */
  stopIfReplacedBy(config: Config): void {
    if (this.upstream === null || !hasProviders(config)) return;
    void this.upstream.close();
    this.upstream = null;
  }
}

const hasProviders = (config: Config): boolean => providersOf(config).providers.length > 0;
