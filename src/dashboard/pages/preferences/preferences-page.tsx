import { Link, Route, Switch } from 'wouter';
import { Button, Stack, Text } from '@mantine/core';
import { Hint, PageLink, StateBadge } from '../../components/elements.js';
import { ClosedPage, Page } from '../../components/page.js';
import { useMay } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import { EvaluationSet } from './evaluation-set.js';
import { EditPreference, NewPreference } from './preference-editor.js';
import { Empty } from '../../components/loaded.js';
import { type Column, PagedTable, column } from '../../components/list-table.js';
import { formatShare } from '../../format/numbers.js';
import { formatAgo } from '../../format/times.js';
import { trainingColors } from './queries.js';
import { draftOf, type Preference, sharesOf } from './settings.js';
import { read, usePagedList } from '../../api/queries.js';

/** The page `/preferences`: the list, one preference, and the evaluation set. */
export default function PreferencesPage() {
  const mayCollect = useMay()('admin');
  return (
    <Switch>
      <Route path="/preferences/new" component={NewPreference} />
      <Route path="/preferences/evaluations">
        {mayCollect ? (
          <EvaluationSet />
        ) : (
          <ClosedPage title={texts.common.evaluationSet} scope="admin" />
        )}
      </Route>
      <Route path="/preferences/:id">{({ id }) => <EditPreference key={id} id={id} />}</Route>
      <Route component={PreferenceList} />
    </Switch>
  );
}

const text = texts.preferences;

const newPath = '/preferences/new';

/** All preferences of the account. */
function PreferenceList() {
  const list = usePagedList(['preferences', 'list'], (page) =>
    read('/api/v1/preferences', { query: page }),
  );
  const mayCollect = useMay()('admin');
  return (
    <Page
      title={texts.navigation.preferences}
      lead={text.lead}
      actions={
        <>
          {mayCollect ? (
            <Button component={Link} href="/preferences/evaluations" variant="default">
              {texts.common.evaluationSet}
            </Button>
          ) : null}
          <Button component={Link} href={newPath}>
            {text.create}
          </Button>
        </>
      }
    >
      <PagedTable
        list={list}
        label={texts.navigation.preferences}
        columns={columns}
        minWidth={620}
        highlightOnHover
        empty={
          <Empty title={text.emptyTitle} hint={text.emptyHint} ways={[[text.create, newPath]]} />
        }
      />
    </Page>
  );
}

const columns: readonly Column<Preference>[] = [
  column(texts.common.name, ({ id, name }) => (
    <PageLink href={`/preferences/${id}`} fw={600} className="text-plain">
      {name}
    </PageLink>
  )),
  column(texts.common.aim, aimText),
  column(texts.common.models, modelsText),
  column(text.trainingColumn, ({ router }) => <TrainingState router={router} />),
  column(text.changed, ({ updatedAt }) => formatAgo(updatedAt)),
];

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
  if (!router) return <Hint>{text.notTrained}</Hint>;
  return (
    <Stack gap={2} align="flex-start">
      <StateBadge color={trainingColors[router.state]} label={text.states[router.state]} />
      {router.saved === null ? null : (
        <Text size="xs">{fill(text.saves, { share: formatShare(router.saved) })}</Text>
      )}
    </Stack>
  );
}
