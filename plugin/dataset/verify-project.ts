import { combinationsOf } from '../task/combinations.ts'
import { bytesOfCase } from '../task/work.ts'
import { caseProblem } from './project-case.ts'
import { answerOf, shortestThought } from './projects.ts'
import { judgeProject } from './prune-project.ts'
import { mostScenarioBytes } from './scenarios.ts'
import type { Verifier } from './verifier.ts'

/** The project compiles again, is right on its case, which is one of its task, whatever the inputs hold, and its host part says the tiling that the answer says. */
export const verifyProject: Verifier<'project'> = async ({ answer, thought = '', proof }, { taskOf, judging }) => {
  const { suite, task: name, case: kernelCase, soc, tiling, files } = proof
  if (soc !== judging.soc) return `is of ${soc}, and is checked on ${judging.soc}`
  if (thought.length < shortestThought) return 'has no reasoning'
  if (answer !== answerOf({ files, tiling })) return 'the answer is not the project with its tiling'
  const task = await taskOf(suite, name)
  if (kernelCase.combination >= combinationsOf(task).length || bytesOfCase(kernelCase) > mostScenarioBytes)
    return 'is of no case that a project could be shown on'
  const chosen = caseProblem(task, kernelCase)
  if (chosen !== undefined) return chosen
  const machine = await judging.machineOf(task)
  const judged = await judgeProject(task, { kernelCase, tiling }, files, { judging, machine })
  return judged.ok ? undefined : `the project ${judged.reason}`
}
