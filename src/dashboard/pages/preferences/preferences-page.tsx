import { Route, Switch } from 'wouter';
import { EvaluationSet } from './evaluation-set.js';
import { EditPreference, NewPreference } from './preference-editor.js';
import { PreferenceList } from './preference-list.js';

/** The page `/preferences`: the list, one preference, and the evaluation set. */
export default function PreferencesPage() {
  return (
    <Switch>
      <Route path="/preferences/new">
        <NewPreference />
      </Route>
      <Route path="/preferences/evaluations">
        <EvaluationSet />
      </Route>
      <Route path="/preferences/:id">{({ id }) => <EditPreference key={id} id={id} />}</Route>
      <Route>
        <PreferenceList />
      </Route>
    </Switch>
  );
}
