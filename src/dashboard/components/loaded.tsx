import { Alert, Button, Code, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Component, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { CompactButton, Hint, LongText, SmallButton } from './elements.js';
import { ApiFailure, isOfWholePage } from '../api/failure.js';
import { useTyped } from './search-parameters.js';
import { fill, texts } from '../texts/texts.js';
import type { PagedList } from '../api/queries.js';

/**
 * What went wrong in the gateway's words, and a button that tries again. Where the gateway failed,
 * also the request's id; where the page as a whole says it, lines that wait.
 */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  if (retry && isOfWholePage(error)) return <Loading />;
  const message = error instanceof Error ? error.message : String(error);
  // what was refused is explained by its message alone
  const requestId = error instanceof ApiFailure && error.status >= 500 ? error.requestId : null;
  return (
    <Alert color="red" title={texts.common.failed} role="alert">
      <Stack gap="xs" align="flex-start">
        <LongText className="text-plain sentence">{message}</LongText>
        <Group gap="sm">
          {retry ? <SmallButton onClick={retry}>{texts.common.tryAgain}</SmallButton> : null}
          {requestId === null ? null : (
            <Text size="xs">
              {texts.common.request} <Code>{requestId}</Code>
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

/** Lines where content will be. */
export const Loading = ({ lines = 4 }: { lines?: number | undefined }) => (
  <Stack gap="sm" role="status" aria-label={texts.common.loading}>
    {Array.from({ length: lines }, (_, line) => (
      <Skeleton key={line} height={28} />
    ))}
  </Stack>
);

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  /** How many lines stand for what is loading. */
  lines?: number;
  children: (data: Data) => ReactNode;
}

/** Why something failed; where there is older content, the page as a whole may say it. */
const failureOf = ({ data, error, refetch }: Pick<UseQueryResult, 'data' | 'error' | 'refetch'>) =>
  error && !(data !== undefined && isOfWholePage(error)) ? (
    <Failure error={error} retry={() => void refetch()} />
  ) : null;

/** Shows a query's data, and why it is not up to date; before that that it loads, or why it failed. */
export function Loaded<Data>({ query, lines, children }: LoadedProps<Data>) {
  const { data } = query;
  const failure = failureOf(query);
  if (data === undefined) return failure ?? <Loading lines={lines} />;
  return (
    <>
      {failure}
      {children(data)}
    </>
  );
}

interface EmptyProps {
  title: string;
  /** What to do so that something stands here. */
  hint: string;
  /** Pages that lead on, or what is done, each with its words; the first is the best. */
  ways?: readonly (readonly [label: string, to: string | (() => void)])[];
}

/** Stands where there is nothing yet, and says what to do. */
export const Empty = ({ title, hint, ways = [] }: EmptyProps) => (
  <Paper withBorder p="xl">
    <Stack gap="xs" align="center" ta="center">
      <Text fw={600}>{title}</Text>
      <Hint maw={480}>{hint}</Hint>
      {ways.length === 0 ? null : (
        <Group mt="xs" justify="center">
          {ways.map(([label, to], at) => {
            const way = { variant: at === 0 ? 'filled' : 'default', children: label };
            return typeof to === 'string' ? (
              <Button {...way} key={label} component={Link} href={to} />
            ) : (
              <Button {...way} key={label} onClick={to} />
            );
          })}
        </Group>
      )}
    </Stack>
  </Paper>
);

interface FirstProps<Item> {
  items: readonly Item[];
  /** How many are shown at first. */
  count: number;
  /** What the button says, with the number of all as `{count}`. */
  label: string;
  children: (items: readonly Item[]) => ReactNode;
}

/** The first of some items, and a button that shows all. */
export function First<Item>({ items, count, label, children }: FirstProps<Item>) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      {children(isWhole ? items : items.slice(0, count))}
      {isWhole || items.length <= count ? null : (
        <CompactButton w="fit-content" onClick={() => setWhole(true)}>
          {fill(label, { count: items.length })}
        </CompactButton>
      )}
    </>
  );
}

/** Of `Paged`, and of what shows its items as a table. */
export interface PagedProps<Item> {
  list: PagedList<Item>;
  /** What the button for the next page says; null: there is none. */
  more?: string | null;
  /** How many lines stand for what is loading. */
  lines?: number;
  children: (items: readonly Item[]) => ReactNode;
}

/** Shows the items of a list, pale until those asked for come, and the button for more. */
export function Paged<Item>({ list, more = texts.common.more, lines, children }: PagedProps<Item>) {
  const { data: items, isPlaceholderData: areOld, isFetchingNextPage, fetchNextPage } = list;
  const failure = failureOf(list);
  if (!items) return failure ?? <Loading lines={lines} />;
  return (
    <Stack gap="md" aria-busy={areOld} opacity={areOld ? 0.5 : 1}>
      {children(items)}
      {failure}
      {list.hasNextPage && more !== null ? (
        <Group justify="center">
          <Button
            variant="default"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {more}
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}

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

/** A search in a list, kept in the address: its text, and what its input takes. */
export function useSearch() {
  const { value: search, field } = useTyped('search');
  return { search, field: { type: 'search', maxLength: 200, maw: 420, ...field } };
}
