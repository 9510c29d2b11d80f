import { Button, Group } from '@mantine/core';
import type { PagedList } from '../api/paged-list.js';

interface MoreButtonProps {
  list: Pick<PagedList<unknown>, 'hasMore' | 'isLoadingMore' | 'loadMore'>;
  label: string;
}

/** The button that shows the next page of a list; nothing after the last page. */
export const MoreButton = ({ list, label }: MoreButtonProps) =>
  list.hasMore ? (
    <Group justify="center">
      <Button variant="default" loading={list.isLoadingMore} onClick={list.loadMore}>
        {label}
      </Button>
    </Group>
  ) : null;
