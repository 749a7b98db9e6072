#include "group_gemm_tiling.h"

namespace optiling {
namespace {

struct Group {
  uint64_t m, n, k;
};

// The lists of extents; empty where they are not as long as each other, or an extent is none.
std::vector<Group> ReadGroups(gert::TilingContext* context) {
  const auto* attributes = context->GetAttrs();
  const auto* m = attributes->GetListInt(0);
  const auto* k = attributes->GetListInt(1);
  const auto* n = attributes->GetListInt(2);
  if (m == nullptr || k == nullptr || n == nullptr || m->GetSize() != k->GetSize() || m->GetSize() != n->GetSize() ||
      m->GetSize() > MAX_GROUPS) {
    return {};
  }
  std::vector<Group> groups;
  for (size_t i = 0; i < m->GetSize(); ++i) {
    const int64_t extents[] = {m->GetData()[i], n->GetData()[i], k->GetData()[i]};
    for (const int64_t extent : extents) {
      if (extent <= 0 || extent > std::numeric_limits<int32_t>::max()) {
        return {};
      }
    }
    groups.push_back(
        {static_cast<uint64_t>(extents[0]), static_cast<uint64_t>(extents[1]), static_cast<uint64_t>(extents[2])});
  }
  return groups;
}

// One block shape for all groups: the one with the least work for the busiest core if the groups came one after the
// other.
blocks::Plan ChooseForAll(const std::vector<Group>& groups, uint64_t cores, const blocks::Memories& memory) {
  uint64_t longest = 0;
  for (const Group& group : groups) {
    longest = std::max(longest, group.k);
  }
  blocks::Plan best;
  for (const uint64_t baseM : blocks::EXTENTS) {
    for (const uint64_t baseN : blocks::EXTENTS) {
      blocks::Problem problem{};
      problem.m = baseM;
      problem.n = baseN;
      problem.k = longest;
      problem.outBytes = blocks::SUM_BYTES;
      blocks::Plan plan = blocks::Consider(baseM, baseN, problem, cores, memory);
      if (plan.baseM == 0 || plan.cycles == std::numeric_limits<uint64_t>::max()) {
        continue;
      }
      const uint64_t cyclesOfLongest = plan.cycles;
      uint64_t work = 0;
      for (const Group& group : groups) {
        const uint64_t count = blocks::CeilDiv(group.m, baseM) * blocks::CeilDiv(group.n, baseN);
        work += count * cyclesOfLongest * group.k / longest;
      }
      plan.cycles = work / cores + cyclesOfLongest;
      if (plan.cycles < best.cycles) {
        best = plan;
      }
    }
  }
  return best;
}

}  // namespace

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAic();
  const std::vector<Group> groups = ReadGroups(context);
  if (groups.empty() || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  uint64_t lengthA = 0;
  uint64_t lengthB = 0;
  uint64_t lengthC = 0;
  for (const Group& group : groups) {
    lengthA += group.m * group.k;
    lengthB += group.k * group.n;
    lengthC += group.m * group.n;
  }
  if (!blocks::HasLength(context, 0, ge::DT_FLOAT16, lengthA) ||
      !blocks::HasLength(context, 1, ge::DT_FLOAT16, lengthB) ||
      !blocks::HasLength(context, 2, ge::DT_FLOAT16, lengthC) ||
      !blocks::HasLength(context, 3, ge::DT_FLOAT, groups.size()) ||
      !blocks::HasLength(context, 4, ge::DT_FLOAT, groups.size())) {
    return ge::GRAPH_FAILED;
  }
  const blocks::Plan plan = ChooseForAll(groups, cores, blocks::Memories(platform));
  if (plan.baseM == 0) {
    return ge::GRAPH_FAILED;
  }

  uint32_t m[MAX_GROUPS] = {};
  uint32_t n[MAX_GROUPS] = {};
  uint32_t k[MAX_GROUPS] = {};
  uint64_t count = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    m[i] = static_cast<uint32_t>(groups[i].m);
    n[i] = static_cast<uint32_t>(groups[i].n);
    k[i] = static_cast<uint32_t>(groups[i].k);
    count += blocks::CeilDiv(groups[i].m, plan.baseM) * blocks::CeilDiv(groups[i].n, plan.baseN);
  }
  GroupGemmTilingData tiling;
  tiling.set_groups(static_cast<uint32_t>(groups.size()));
  tiling.set_m(m);
  tiling.set_n(n);
  tiling.set_k(k);
  blocks::Write(plan, tiling.plan);
  const uint64_t teams = std::min(cores, count);
  return blocks::Save(context, tiling, teams, blocks::MixedWorkspace(platform, plan, teams));
}
}  // namespace optiling

namespace ops {
class GroupGemm : public OpDef {
 public:
  explicit GroupGemm(const char* name) : OpDef(name) {
    this->Input("a")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("b")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("c")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("alpha")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("beta")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND})
        .AutoContiguous();
    this->Attr("mList").ListInt();
    this->Attr("kList").ListInt();
    this->Attr("nList").ListInt();
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(GroupGemm);
}  // namespace ops
