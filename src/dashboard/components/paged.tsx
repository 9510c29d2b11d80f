import { Stack, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PagedList } from '../api/paged-list.js';
import { Failure, Loading } from './loaded.js';

interface PagedProps<Item> {
  list: PagedList<Item>;
  /** What the button for the next page says. */
  more: string;
  /** How many lines stand for what is loading. */
  lines?: number;
  children: (items: readonly Item[]) => ReactNode;
}

/** Shows the items of a list and the button for more; before that that it loads, or why not. */
export function Paged<Item>({ list, more, lines, children }: PagedProps<Item>) {
  const { items, error, retry } = list;
  if (error) return <Failure error={error} retry={retry} />;
  if (!items) return <Loading {...(lines === undefined ? {} : { lines })} />;
  return (
    <Stack gap="md">
      {children(items)}
      <MoreButton list={list} label={more} />
    </Stack>
  );
}

interface MoreButtonProps {
  list: Pick<PagedList<unknown>, 'hasMore' | 'isLoadingMore' | 'loadMore'>;
  label: string;
}

/** The button that shows the next page of a list; nothing after the last page. */
const MoreButton = ({ list, label }: MoreButtonProps) =>
  list.hasMore ? (
    <Group justify="center">
      <Button variant="default" loading={list.isLoadingMore} onClick={list.loadMore}>
        {label}
      </Button>
    </Group>
  ) : null;
