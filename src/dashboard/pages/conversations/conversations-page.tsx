import { Route, Switch } from 'wouter';
import { TextInput } from '@mantine/core';
import { Hint, PageLink } from '../../components/elements.js';
import { ConversationView } from './conversation-view.js';
import { read, usePagedList } from '../../api/queries.js';
import { Empty, useSearch } from '../../components/loaded.js';
import {
  type Column,
  figure,
  PagedTable,
  column,
  actionsColumn,
} from '../../components/list-table.js';
import { Page } from '../../components/page.js';
import { formatCount } from '../../format/numbers.js';
import { formatAgo, formatInstant } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { Conversation } from './conversation-queries.js';
import { ConversationActions } from './conversation-actions.js';

/** The pages `/conversations` and `/conversations/<id>`. */
export default function ConversationsPage() {
  return (
    <Switch>
      <Route path="/conversations/:id">{({ id }) => <ConversationView key={id} id={id} />}</Route>
      <Route component={ConversationList} />
    </Switch>
  );
}

const { conversations: words } = texts;

const conversationsPerPage = 30;

/** The account's conversations, the last used first, with a search in their titles. */
function ConversationList() {
  const { search, field } = useSearch();
  return (
    <Page title={texts.navigation.conversations} lead={words.lead}>
      <TextInput label={words.search} description={words.searchHint} {...field} />
      <Found search={search} />
    </Page>
  );
}

function Found({ search }: { search: string }) {
  const list = usePagedList(
    ['conversations', search],
    (page) => read('/api/v1/conversations', { query: { ...page, search: search || undefined } }),
    { pageSize: conversationsPerPage },
  );
  return (
    <PagedTable
      list={list}
      more={search === '' ? texts.common.more : words.searchMore}
      label={texts.navigation.conversations}
      columns={columns}
      minWidth={480}
      highlightOnHover
      isSlim
      empty={
        list.hasNextPage ? (
          <Hint ta="center">{words.notYetFound}</Hint>
        ) : (
          <Nothing search={search} />
        )
      }
    />
  );
}

const Nothing = ({ search }: { search: string }) =>
  search === '' ? (
    <Empty
      title={words.empty}
      hint={words.emptyHint}
      ways={[[texts.common.openPlayground, '/playground']]}
    />
  ) : (
    <Empty title={fill(words.notFound, { search })} hint={words.notFoundHint} />
  );

const columns: readonly Column<Conversation>[] = [
  column(texts.common.conversation, ({ id, title }) => (
    <PageLink href={`/conversations/${id}`} className="text-plain">
      {title}
    </PageLink>
  )),
  figure(words.messages, ({ messageCount }) => formatCount(messageCount), { isMinor: true }),
  column(texts.common.lastUsed, ({ updatedAt }) => (
    <time dateTime={updatedAt} title={formatInstant(updatedAt)}>
      {formatAgo(updatedAt)}
    </time>
  )),
  actionsColumn((one) => <ConversationActions conversation={one} />),
];
