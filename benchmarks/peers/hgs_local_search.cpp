// The local search of HGS-CVRP alone (Vidal 2022), from given starts: linked against its own files.
//
//   hgs_local_search INSTANCE STARTS rounded vehicles granular swap_star penalty
//
// A line of STARTS is a solution, its routes divided by 0; it goes through LocalSearch::run, which
// loads it, descends and computes its cost from scratch. Reading files, distances and neighbours
// are not timed. Prints the CPU seconds of all starts together, then "cost feasible" of each.
#include <ctime>
#include <iostream>
#include <sstream>

#include "InstanceCVRPLIB.h"
#include "LocalSearch.h"

AlgorithmParameters default_algorithm_parameters();

namespace {

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// The routes of a line, in an individual whose other fields are those of any.
Individual read_start(Params& params, const std::string& line) {
  Individual start(params);
  std::istringstream numbers(line);
  int route = 0;
  for (int customer; numbers >> customer;) {
    if (customer > 0)
      start.chromR.at(route).push_back(customer);
    else
      ++route;
  }
  return start;
}

int descend_all(char** arguments) {
  const InstanceCVRPLIB instance(arguments[1], std::stoi(arguments[3]) != 0);
  AlgorithmParameters parameters = default_algorithm_parameters();
  parameters.nbGranular = std::stoi(arguments[5]);
  parameters.useSwapStar = std::stoi(arguments[6]);
  const double penalty = std::stod(arguments[7]);
  Params params(instance.x_coords, instance.y_coords, instance.dist_mtx, instance.service_time,
                instance.demands, instance.vehicleCapacity, instance.durationLimit,
                std::stoi(arguments[4]), instance.isDurationConstraint, false, parameters);
  std::vector<Individual> solutions;
  std::ifstream file(arguments[2]);
  for (std::string line; std::getline(file, line);) solutions.push_back(read_start(params, line));
  if (solutions.empty()) throw std::string("no starts");

  LocalSearch search(params);
  const double begin = cpu_seconds();
  for (Individual& solution : solutions) search.run(solution, penalty, penalty);
  const double seconds = cpu_seconds() - begin;

  std::cout.precision(17);
  std::cout << seconds << '\n';
  for (const Individual& solution : solutions) {
    std::cout << solution.eval.distance << ' ' << solution.eval.isFeasible << '\n';
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 8) {
    std::cerr << "hgs_local_search INSTANCE STARTS rounded vehicles granular swap_star penalty\n";
    return 2;
  }
  try {
    return descend_all(arguments);
  } catch (const std::string& error) {
    std::cerr << error << '\n';
    return 1;
  }
}
