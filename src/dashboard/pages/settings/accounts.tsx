import { Alert, Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { api, dataOf, type Schema } from '../../api/client.js';
import { CodeBlock } from '../../components/copy-text.js';
import { Failure, Loading } from '../../components/loaded.js';
import { StateBadge } from '../../components/state-badge.js';
import { formatDay, formatInstant } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { AccountActions } from './account-actions.js';
import { limitWords } from './limit-words.js';

const text = texts.settings;
const pageSize = 50;

/** A link that sets a password, and whose it is. */
export interface GivenLink {
  readonly email: string;
  readonly url: string;
  readonly expiresAt: string;
}

/** All accounts, for administrators. */
export default function Accounts() {
  const [link, setLink] = useState<GivenLink | null>(null);
  return (
    <Stack gap="lg">
      <Invitation onLink={setLink} />
      {link === null ? null : <Link link={link} />}
      <AccountsTable onLink={setLink} />
    </Stack>
  );
}

const Link = ({ link: { email, url, expiresAt } }: { link: GivenLink }) => (
  <Alert title={fill(text.linkTitle, { email })} role="status">
    <Text size="sm" mb="xs">
      {fill(text.linkLead, { time: formatInstant(expiresAt) })}
    </Text>
    <CodeBlock code={url} label={fill(text.linkTitle, { email })} />
  </Alert>
);

function Invitation({ onLink }: { onLink: (link: GivenLink) => void }) {
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<'member' | 'admin'>('member');
  const inviting = useMutation({
    mutationFn: () => dataOf(api.POST('/api/v1/accounts', { body: { email, role } })),
    onSuccess: async ({ url, expiresAt }) => {
      onLink({ email, url, expiresAt });
      setEmail('');
      await queries.invalidateQueries({ queryKey: ['accounts'] });
    },
  });
  const send = (event: SyntheticEvent): void => {
    event.preventDefault();
    inviting.mutate();
  };
  return (
    <form onSubmit={send}>
      <Group align="flex-end" gap="sm">
        <TextInput
          type="email"
          required
          label={text.inviteEmail}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Select<'member' | 'admin'>
          label={text.inviteRole}
          allowDeselect={false}
          data={[
            { value: 'member', label: text.roles.member },
            { value: 'admin', label: text.roles.admin },
          ]}
          value={role}
          onChange={(chosen) => setRole(chosen ?? 'member')}
        />
        <Button type="submit" loading={inviting.isPending}>
          {text.invite}
        </Button>
      </Group>
      {inviting.error ? <Failure error={inviting.error} /> : null}
    </form>
  );
}

const useAccounts = () =>
  useInfiniteQuery({
    queryKey: ['accounts'],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/api/v1/accounts', {
          params: {
            query: { limit: pageSize, ...(pageParam === '' ? {} : { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });

function AccountsTable({ onLink }: { onLink: (link: GivenLink) => void }) {
  const query = useAccounts();
  if (query.error && !query.data)
    return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const accounts = query.data.pages.flatMap(({ items }) => items);
  return (
    <Stack gap="sm">
      <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              {[text.email, text.role, text.state, text.limits, text.created, text.actions].map(
                (label) => (
                  <Table.Th key={label}>{label}</Table.Th>
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {accounts.map((account) => (
              <AccountRow key={account.id} account={account} onLink={onLink} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {query.hasNextPage ? (
        <Button variant="default" onClick={() => void query.fetchNextPage()}>
          {text.more}
        </Button>
      ) : null}
    </Stack>
  );
}

interface AccountRowProps {
  account: Schema<'AccountResponse'>;
  onLink: (link: GivenLink) => void;
}

const AccountRow = ({ account, onLink }: AccountRowProps) => (
  <Table.Tr>
    <Table.Td>{account.email ?? text.unowned}</Table.Td>
    <Table.Td>{text.roles[account.role]}</Table.Td>
    <Table.Td>
      <StateBadge
        color={account.disabledAt === null ? 'green' : 'gray'}
        label={
          account.disabledAt === null
            ? text.active
            : fill(text.disabled, { time: formatDay(account.disabledAt) })
        }
      />
    </Table.Td>
    <Table.Td>{limitWords(account.limits)}</Table.Td>
    <Table.Td>{formatDay(account.createdAt)}</Table.Td>
    <Table.Td>
      <AccountActions account={account} onLink={onLink} />
    </Table.Td>
  </Table.Tr>
);
