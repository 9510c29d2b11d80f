import { Box, Group, Paper, Stack, Title } from '@mantine/core';
import { useDocumentTitle, useMediaQuery } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Hint, PageLink } from './elements.js';
import { isMissing } from '../api/failure.js';
import type { Scope } from '../session/session.js';
import { fill, texts } from '../texts/texts.js';
import { Empty, Loaded } from './loaded.js';

interface PageProps {
  title: string;
  /** One sentence under the title. */
  lead?: ReactNode;
  /** Buttons and switches at the right of the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page below the shell: its heading, its actions and its content. */
export function Page({ title, lead, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Signalbox`);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end" gap="md">
        <Box>
          <Title order={1} size="h2" textWrap="balance">
            {title}
          </Title>
          {lead === undefined ? null : <Hint>{lead}</Hint>}
        </Box>
        {actions === undefined ? null : <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** Whether the window has a telephone's width, in which the style sheet has no columns. */
export const useIsNarrow = (): boolean =>
  useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false });

interface PanelProps extends PageProps {
  /** 1: it is all that its page has. */
  order?: 1 | 2;
}

/** A box with a heading: a part of a page, by which those who do not see it reach that part. */
export const Panel = ({ title, lead, actions, order = 2, children }: PanelProps) => (
  <Paper withBorder p={order === 1 ? 'xl' : 'md'} miw={0} component="section" aria-label={title}>
    <Stack gap="sm">
      <Box>
        <Group justify="space-between" gap="xs">
          <Title order={order} size={order === 1 ? 'h3' : 'h5'}>
            {title}
          </Title>
          {actions}
        </Group>
        {lead === undefined ? null : <Hint>{lead}</Hint>}
      </Box>
      {children}
    </Stack>
  </Paper>
);

/** Stands at an address that no page has. */
export const NotFound = () => (
  <Page title={texts.common.notFound} lead={texts.common.notFoundHint}>
    <PageLink href="/">{texts.common.goHome}</PageLink>
  </Page>
);

interface LoadedPageProps<Data> {
  query: UseQueryResult<Data>;
  /** Of the page until its content has come. */
  title: string;
  children: (data: Data) => ReactNode;
}

/** A page of something that is loaded; what is not there has none. */
export function LoadedPage<Data>({ query, title, children }: LoadedPageProps<Data>) {
  if (isMissing(query.error)) return <NotFound />;
  const loaded = (
    <Loaded query={query} lines={8}>
      {children}
    </Loaded>
  );
  return query.data === undefined ? <Page title={title}>{loaded}</Page> : loaded;
}

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
