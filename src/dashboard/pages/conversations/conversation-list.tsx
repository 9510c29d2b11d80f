import { Anchor, Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Empty } from '../../components/empty.js';
import { Failure, Loading } from '../../components/loaded.js';
import { WideTable } from '../../components/wide-table.js';
import { Page } from '../../components/page.js';
import { formatCount } from '../../format/numbers.js';
import { formatAgo, formatInstant } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { type Conversation, readConversations } from './conversation-queries.js';
import { ConversationButtons } from './conversation-buttons.js';

const { conversations: words } = texts;

/** How long typing rests before it is searched. In ms. */
const restMs = 250;

/** The account's conversations, the last used first, with a search in their titles. */
export function ConversationList() {
  const [params, setParams] = useSearchParams();
  const [typed, setTyped] = useState(params.get('search') ?? '');
  const [search] = useDebouncedValue(typed.trim(), restMs);
  useEffect(() => {
    setParams(search === '' ? {} : { search }, { replace: true });
  }, [search, setParams]);
  return (
    <Page title={words.title} lead={words.lead}>
      <TextInput
        label={words.search}
        description={words.searchHint}
        type="search"
        maxLength={200}
        maw={420}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Found search={search} />
    </Page>
  );
}

function Found({ search }: { search: string }) {
  const query = useInfiniteQuery({
    queryKey: ['conversations', search],
    queryFn: ({ pageParam }) => readConversations(search, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const found = data.pages.flatMap(({ items }) => items);
  return (
    <Stack gap="md">
      {found.length > 0 ? <Conversations found={found} /> : null}
      {found.length === 0 && !hasNextPage ? <Nothing search={search} /> : null}
      {hasNextPage ? (
        <Group>
          <Button
            variant="default"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {search === '' ? words.more : words.searchMore}
          </Button>
          {found.length === 0 ? (
            <Text size="sm" c="dimmed">
              {words.notYetFound}
            </Text>
          ) : null}
        </Group>
      ) : null}
    </Stack>
  );
}

const Nothing = ({ search }: { search: string }) =>
  search === '' ? (
    <Empty
      title={words.empty}
      hint={words.emptyHint}
      actions={
        <Button component={Link} href="/playground">
          {words.openPlayground}
        </Button>
      }
    />
  ) : (
    <Empty title={fill(words.notFound, { search })} hint={words.notFoundHint} />
  );

const Conversations = ({ found }: { found: readonly Conversation[] }) => (
  <WideTable label={words.title} minWidth={320}>
    <Table highlightOnHover verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words.conversation}</Table.Th>
          <Table.Th ta="right">{words.messages}</Table.Th>
          <Table.Th>{words.used}</Table.Th>
          <Table.Th visibleFrom="sm">
            <span className="visually-hidden">{words.actions}</span>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {found.map((one) => (
          <Table.Tr key={one.id}>
            <Table.Td>
              <Anchor
                component={Link}
                href={`/conversations/${one.id}`}
                size="sm"
                className="text-plain"
              >
                {one.title}
              </Anchor>
            </Table.Td>
            <Table.Td ta="right">{formatCount(one.messageCount)}</Table.Td>
            <Table.Td>
              <time dateTime={one.updatedAt} title={formatInstant(one.updatedAt)}>
                {formatAgo(one.updatedAt)}
              </time>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <ConversationButtons conversation={one} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </WideTable>
);
