import type { Config } from '../../config/config.js';
import { fillProvider } from '../../config/fill.js';
import { type DemoProvider, startDemoProvider } from '../demo-provider.js';
import { providersOf } from '../../gateway.js';

/** The demo's part in a gateway: it answers from the start until the first provider is configured, and never again after that. */
export class Demo {
  private constructor(private upstream: DemoProvider | null) {}

  /** Starts the demo's upstream where the configuration and the environment have no provider. */
  static async startFor(config: Config): Promise<Demo> {
    return new Demo(hasProviders(config) ? null : await startDemoProvider());
  }

  get isOn(): boolean {
    return this.upstream !== null;
  }

  /** The configuration with the demo in it; as it is where there are providers. */
  joinTo(config: Config): Config {
    if (this.upstream === null || hasProviders(config)) return config;
    const { providers, models } = this.upstream.config;
    const filled = Object.fromEntries(
      Object.entries(providers).map(([name, provider]) => [name, fillProvider(name, provider)]),
    );
    return { ...config, providers: filled, models: { ...models, ...config.models } };
  }

  /** Ends the demo where the configuration that is now in force has providers; its answers under way are finished. */
  leaveTo(config: Config): void {
    if (this.upstream === null || !hasProviders(config)) return;
    void this.upstream.close();
    this.upstream = null;
  }
}

const hasProviders = (config: Config): boolean => providersOf(config).providers.length > 0;
