import { Route, Switch } from 'wouter';
import { ClosedPage } from '../../components/closed-page.js';
import { useMay } from '../../session/session.js';
import { texts } from '../../texts/texts.js';
import { EvaluationSet } from './evaluation-set.js';
import { EditPreference, NewPreference } from './preference-editor.js';
import { PreferenceList } from './preference-list.js';

/** The page `/preferences`: the list, one preference, and the evaluation set. */
export default function PreferencesPage() {
  const mayCollect = useMay()('admin');
  return (
    <Switch>
      <Route path="/preferences/new">
        <NewPreference />
      </Route>
      <Route path="/preferences/evaluations">
        {mayCollect ? (
          <EvaluationSet />
        ) : (
          <ClosedPage title={texts.preferences.set.title} scope="admin" />
        )}
      </Route>
      <Route path="/preferences/:id">{({ id }) => <EditPreference key={id} id={id} />}</Route>
      <Route>
        <PreferenceList />
      </Route>
    </Switch>
  );
}
