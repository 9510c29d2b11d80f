import { Button, Group } from '@mantine/core';

interface MoreButtonProps {
  /** A list that is read page by page. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  label: string;
}

/** The button that shows the next page of a list; nothing after the last page. */
export const MoreButton = ({ query, label }: MoreButtonProps) =>
  query.hasNextPage ? (
    <Group justify="center">
      <Button
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {label}
      </Button>
    </Group>
  ) : null;
