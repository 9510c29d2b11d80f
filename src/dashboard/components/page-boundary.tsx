import { Component, type ReactNode } from 'react';
import { Empty } from './loaded.js';
import { texts } from '../texts/texts.js';

interface Broken {
  /** Null: nothing is broken. */
  readonly reason: string | null;
}

/** Shows what broke in place of a page, so that the navigation around it stays. */
export class PageBoundary extends Component<{ children: ReactNode }, Broken> {
  override state: Broken = { reason: null };

  static getDerivedStateFromError(error: unknown): Broken {
    return { reason: error instanceof Error ? error.message : texts.common.failed };
  }

  override render(): ReactNode {
    const { reason } = this.state;
    if (reason === null) return this.props.children;
    return (
      <Empty
        title={texts.common.broken}
        hint={reason}
        ways={[[texts.common.loadAgain, () => location.reload()]]}
      />
    );
  }
}
