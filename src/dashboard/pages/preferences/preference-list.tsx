import { Anchor, Badge, Button, Stack, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../../components/empty.js';
import { Failure, Loading } from '../../components/loaded.js';
import { MoreButton } from '../../components/more-button.js';
import { Page } from '../../components/page.js';
import { formatShare } from '../../format/numbers.js';
import { formatAgo } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { usePreferences } from './queries.js';
import { draftOf, type Preference, sharesOf } from './settings.js';
import { ScrollingTable } from './scrolling-table.js';

const text = texts.preferences;

const CreateButton = () => (
  <Button component={Link} href="/preferences/new">
    {text.create}
  </Button>
);

/** All preferences of the account. */
export function PreferenceList() {
  const query = usePreferences();
  const rows = query.data?.pages.flatMap(({ items }) => items);
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={
        <>
          <Button component={Link} href="/preferences/evaluations" variant="default">
            {text.evaluationSet}
          </Button>
          <CreateButton />
        </>
      }
    >
      {rows ? (
        <Rows rows={rows} />
      ) : query.error ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loading />
      )}
      <MoreButton query={query} label={text.more} />
    </Page>
  );
}

function Rows({ rows }: { rows: readonly Preference[] }) {
  if (rows.length === 0)
    return <Empty title={text.emptyTitle} hint={text.emptyHint} actions={<CreateButton />} />;
  return (
    <ScrollingTable least={620} verticalSpacing="sm" highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          {Object.entries(text.columns).map(([name, label]) => (
            <Table.Th key={name}>{label}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((preference) => (
          <Row key={preference.id} preference={preference} />
        ))}
      </Table.Tbody>
    </ScrollingTable>
  );
}

function Row({ preference }: { preference: Preference }) {
  const { id, name, updatedAt } = preference;
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor component={Link} href={`/preferences/${id}`} fw={600}>
          {name}
        </Anchor>
      </Table.Td>
      <Table.Td>{aimText(preference)}</Table.Td>
      <Table.Td>{modelsText(preference)}</Table.Td>
      <Table.Td>
        <TrainingState router={preference.router} />
      </Table.Td>
      <Table.Td>
        <Text size="sm" c="dimmed">
          {formatAgo(updatedAt)}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

function aimText(preference: Preference): string {
  const { aim, weights } = draftOf(preference);
  return aim === 'weights' ? fill(text.weightsShort, sharesOf(weights)) : text.aims[aim];
}

function modelsText({ allow, exclude }: Preference): string {
  const parts = [
    allow?.length ? fill(text.onlyModels, { count: allow.length }) : '',
    exclude?.length ? fill(text.withoutModels, { count: exclude.length }) : '',
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : text.allModels;
}

function TrainingState({ router }: Pick<Preference, 'router'>) {
  if (!router)
    return (
      <Text size="sm" c="dimmed">
        {text.notTrained}
      </Text>
    );
  return (
    <Stack gap={2} align="flex-start">
      <Badge variant="default">{text.states[router.state]}</Badge>
      {router.saved === null ? null : (
        <Text size="xs">{fill(text.saves, { share: formatShare(router.saved) })}</Text>
      )}
    </Stack>
  );
}
