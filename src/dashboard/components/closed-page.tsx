import type { Scope } from '../session/session.js';
import { fill, texts } from '../texts/texts.js';
import { Empty } from './empty.js';
import { Page } from './page.js';

interface ClosedPageProps {
  title: string;
  /** What its reader would need. */
  scope: Scope;
}

/** Stands in place of a page that its reader may not use. */
export const ClosedPage = ({ title, scope }: ClosedPageProps) => (
  <Page title={title}>
    <Empty title={texts.common.closed} hint={fill(texts.common.closedHint, { scope })} />
  </Page>
);
